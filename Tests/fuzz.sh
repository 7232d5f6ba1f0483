#!/usr/bin/env bash
# Fuzzes the deframer with the parser, the command decoder and the decoder of SondeHub's answers:  Tests/fuzz.sh [SECONDS]
# Starts from the fixtures; a finding is left in .build-fuzz/ and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
scratch="$PWD/.build-fuzz"
# On a crash the Swift backtracer would hang under libFuzzer.
export SWIFT_BACKTRACE=enable=no

swift build --package-path Tests/Fuzz --scratch-path "$scratch" -c release --sanitize=fuzzer --sanitize=address 2>&1 |
    grep -vE 'Cannot export local symbol' | tail -3
programs="$(swift build --package-path Tests/Fuzz --scratch-path "$scratch" -c release --sanitize=fuzzer --sanitize=address --show-bin-path 2>/dev/null)"

frames="$(mktemp -d)" commands="$(mktemp -d)" sondehub="$(mktemp -d)"
trap 'rm -rf "$frames" "$commands" "$sondehub"' EXIT
cp Fixtures/frames/*.raw "$frames"
cp Fixtures/commands/* "$commands"
cp Fixtures/sondehub/*.json "$sondehub"
fuzz() { # program, corpus
    (cd "$scratch" && ASAN_OPTIONS=detect_leaks=0 "$programs/$1" -max_total_time="$seconds" -max_len=4200 -timeout=10 \
        -rss_limit_mb=1024 -print_final_stats=1 "$2" >"$1.log" 2>&1) ||
        { tail -40 "$scratch/$1.log" >&2; echo "$1: a finding, see $scratch" >&2; return 1; }
    echo "$1: $(sed -n 's/stat::number_of_executed_units: *//p' "$scratch/$1.log") inputs in $seconds s, no finding"
}
fuzz FuzzFrames "$frames" &
first=$!
fuzz FuzzCommands "$commands"
wait "$first"
fuzz FuzzSondeHub "$sondehub"
