#!/usr/bin/env bash
# Runs the tests of the adapters, the feeds and the program one at a time, and prints the ten that took longest. Beside others a
# test's time includes its wait for a place.
#   Tests/longest.sh [FILTER]    TESTS names the built program of the tests, else it is that of Tests/run.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
enclosed "$PWD/Tests/longest.sh" "$@"
TESTS="${TESTS:-$(deploy/build.sh --build-tests)/sondygo2mqttPackageTests.xctest}"
status=0
limited 7200 "$TESTS" --testing-library swift-testing --no-parallel --filter "${1:-^(Adapter|Program|Feeds)Tests\.}" \
    > "$room/tests" 2>&1 || status=$?
# The tests' own time, and all of it.
sed -nE 's/^[✔✘] Test ([^ ]+)\(.* (passed|failed) after ([0-9]+)\.[0-9]+ seconds.*/\3 \1/p' "$room/tests" | sort -rn > "$room/times"
awk 'NR <= 10 { printf "%5d s  test %s\n", $1, $2 } { all += $1 } END { printf "%5d s  all tests, one after another\n", all }' \
    "$room/times" | tee .build/longest
grep -E '^✘ Test [^ ]+\(' "$room/tests" || true
exit $status
