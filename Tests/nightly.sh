#!/usr/bin/env bash
# Runs everything at full length, which takes a night: all bits and seeds, a hundred kills, 300 power cuts, ten minutes of
# each fuzzer, an hour in the lab, twenty kills of a fleet's server, two hours in a valley, the first minutes with the
# package, the arm64 package. Then it compares the durations with the shortest of this machine's green nights.
#   Tests/nightly.sh            as root; KILLS, CUTS, OUTAGE, FUZZ_SECONDS and VALLEY_SECONDS choose other lengths
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
enclosed "$PWD/Tests/nightly.sh" "$@"
export FULL_LENGTH=1 SEED=0 KILLS="${KILLS:-100}" CUTS="${CUTS:-300}" FUZZ_SECONDS="${FUZZ_SECONDS:-600}"
export TESTS_LIMIT=7200 FLEET_LIMIT=7200 OUTAGE="${OUTAGE:-60}" FLEET_KILLS="${FLEET_KILLS:-20}" LAB_FRAMES="${LAB_FRAMES:-3600}"

# It goes on after a failed step, and ends with 1.
failed=()
night() { # name, command
    step "$1"
    "${@:2}" || failed+=("$1")
}
rm -f .build/durations .build/longest
night "all that a change needs, at full length" Tests/run.sh
PROGRAM="$PWD/$(ls -d .build-static/*/release | head -n 1)/sondygo2mqtt"
export PROGRAM GATEWAY="$PROGRAM"
night "the ten longest tests" Tests/longest.sh
night "a valley" Tests/network.py valley "${VALLEY_SECONDS:-7200}"
night "a live stream that drops" Tests/network.py drops
night "a hostile live stream" Tests/network.py hostile
night "recipes for dashboards" Tests/dashboards.sh "$PROGRAM"
night "the package" deploy/build-deb.sh "$room/deb"
night "the first minutes with the package" bash -c 'Tests/first-minutes.sh "$(ls "$0"/deb/*.deb)" || [ $? -eq 77 ]' "$room"
night "the package for arm64" Tests/arm64.sh

step "durations"
table > "$room/durations"
# Those of run.sh's own steps and of the longest tests, which these have printed.
cat .build/durations .build/longest >> "$room/durations" 2> /dev/null || true
doubled "$room/durations" .build/durations.night
[ ${#failed[@]} -gt 0 ] || keep_shortest "$room/durations" .build/durations.night
[ ${#failed[@]} -eq 0 ] || { printf 'failed: %s\n' "${failed[@]}"; exit 1; }
