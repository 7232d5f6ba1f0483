#!/usr/bin/env bash
# Fuzzes all untrusted input: frames, commands, answers of SondeHub, Tawhiri and route servers, SondeHub's live stream,
# gpsd's lines, NMEA, OwnTracks messages, messages to the feeds, GDL 90, ATT, mgmt and advertisements:
#   Tests/fuzz.sh [SECONDS]     each fuzzer for so long (default 600)
#   Tests/fuzz.sh build         only builds them
# Starts from the fixtures. A finding fails the run and stays in .build-fuzz/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-600}"
scratch="$PWD/.build-fuzz"
# After a crash the Swift backtracer would hang under libFuzzer.
export SWIFT_BACKTRACE=enable=no

# The compiler obeys only the last -sanitize option, and SwiftPM orders them at random. So the last option names both.
options=(--package-path Tests/Fuzz --scratch-path "$scratch" -c release --sanitize=fuzzer --sanitize=address
    -Xswiftc -sanitize=fuzzer,address)
# SwiftPM keeps its plan although a file of the gateway, another package to it, has gone.
rm -f "$scratch"/*.yaml "$scratch"/*/release/description.json
mkdir -p "$scratch"
swift build "${options[@]}" > "$scratch/build.log" 2>&1 || { grep -A 12 'error: ' "$scratch/build.log"; exit 1; }
tail -n 1 "$scratch/build.log"
[ "$seconds" != build ] || exit 0
programs="$(swift build "${options[@]}" --show-bin-path 2>/dev/null)"

corpora="$(mktemp -d)"
trap 'rm -rf "$corpora"' EXIT
fuzz() { # program, files to start from
    local program="$1" corpus="$corpora/$1"
    shift
    mkdir "$corpus"
    cp "$@" "$corpus"
    (cd "$scratch" && ASAN_OPTIONS=detect_leaks=0 "$programs/$program" -max_total_time="$seconds" -max_len=4200 \
        -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 "$corpus" >"$program.log" 2>&1) ||
        { tail -40 "$scratch/$program.log" >&2; echo "$program: a finding, see $scratch" >&2; return 1; }
    # Without counters the fuzzer works blindly, and only prints a warning.
    grep -q "INFO: Loaded .* counters" "$scratch/$program.log" || { echo "$program: built without coverage" >&2; return 1; }
    echo "$program: $(sed -n 's/stat::number_of_executed_units: *//p' "$scratch/$program.log") inputs in $seconds s, no finding"
}
# Runs two fuzzers at a time.
pair() {
    "$1" & local first=$!
    "$2"
    wait "$first"
}
frames() { fuzz FuzzFrames Fixtures/frames/*.raw; }
commands() { fuzz FuzzCommands Fixtures/commands/*; }
sondehub() { fuzz FuzzSondeHub Fixtures/sondehub/*.json; }
stream() { fuzz FuzzStream Fixtures/sondehub/*.mqtt; }
predictions() { fuzz FuzzPredictions Fixtures/predictions/*.json; }
gpsd() { fuzz FuzzGPSD Fixtures/car/*.gpsd; }
nmea() { fuzz FuzzNMEA Fixtures/car/*.nmea; }
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
pair feeds nmea
stream
