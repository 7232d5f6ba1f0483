#!/usr/bin/env bash
# Fuzzes whatever anybody can send: frames, commands, SondeHub's, Tawhiri's and route servers' answers, gpsd's lines,
# OwnTracks messages, what feeds are told, ATT, mgmt and advertisements:
#   Tests/fuzz.sh [SECONDS]
# Starts from the fixtures; a finding is left in .build-fuzz/ and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
scratch="$PWD/.build-fuzz"
# On a crash the Swift backtracer would hang under libFuzzer.
export SWIFT_BACKTRACE=enable=no

# The compiler heeds the last of several -sanitize only, and SwiftPM gives them in an order of chance: both in one, behind.
options=(--package-path Tests/Fuzz --scratch-path "$scratch" -c release --sanitize=fuzzer --sanitize=address
    -Xswiftc -sanitize=fuzzer,address)
swift build "${options[@]}" 2>&1 | grep -vE 'Cannot export local symbol' | tail -3
programs="$(swift build "${options[@]}" --show-bin-path 2>/dev/null)"

corpora="$(mktemp -d)"
trap 'rm -rf "$corpora"' EXIT
fuzz() { # program, files to start from
    local program="$1" corpus="$corpora/$1"
    shift
    mkdir "$corpus"
    cp "$@" "$corpus"
    (cd "$scratch" && ASAN_OPTIONS=detect_leaks=0 "$programs/$program" -max_total_time="$seconds" -max_len=4200 \
        -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 "$corpus" >"$program.log" 2>&1) ||
        { tail -40 "$scratch/$program.log" >&2; echo "$program: a finding, see $scratch" >&2; return 1; }
    # Without it the fuzzer is blind, and says no more than a warning.
    grep -q "INFO: Loaded .* counters" "$scratch/$program.log" || { echo "$program: built without coverage" >&2; return 1; }
    echo "$program: $(sed -n 's/stat::number_of_executed_units: *//p' "$scratch/$program.log") inputs in $seconds s, no finding"
}
# Two at a time.
pair() {
    "$1" & local first=$!
    "$2"
    wait "$first"
}
frames() { fuzz FuzzFrames Fixtures/frames/*.raw; }
commands() { fuzz FuzzCommands Fixtures/commands/*; }
sondehub() { fuzz FuzzSondeHub Fixtures/sondehub/*.json; }
predictions() { fuzz FuzzPredictions Fixtures/predictions/*.json; }
gpsd() { fuzz FuzzGPSD Fixtures/car/*.gpsd; }
owntracks() { fuzz FuzzOwnTracks Fixtures/car/*.owntracks; }
routes() { fuzz FuzzRoutes Fixtures/car/*.route; }
feeds() { fuzz FuzzFeeds Fixtures/feeds/in/*; }
att() { fuzz FuzzATT Fixtures/bluetooth/*.att; }
mgmt() { fuzz FuzzMgmt Fixtures/bluetooth/*.mgmt; }
advertisements() { fuzz FuzzAdvertisements Fixtures/bluetooth/*.advertisement; }
pair frames commands
pair sondehub att
pair mgmt advertisements
pair predictions gpsd
pair owntracks routes
feeds
