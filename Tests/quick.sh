#!/usr/bin/env bash
# The checks for while you work, in 90 seconds after the build on two cores: format and imports, the kinds of faults that
# tests must not have, what documents say, the pure tests without the longest, the quick ones of the adapters and the
# program, the page if it has changed, and three starts. It installs nothing.
#   Tests/quick.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
enclosed "$PWD/Tests/quick.sh" "$@"
export INSTALL_NOTHING=1
# What is missing is named before the build, which takes minutes. Only python3-jsonschema is more than deploy/demo.sh installs.
. deploy/install.sh
install_packages mosquitto mosquitto-clients python3 python3-jsonschema libjs-leaflet libjs-dygraphs node-qrcode-generator

# The same build as that of deploy/demo.sh, Tests/one.sh and Tests/run.sh. Unoptimised, the pure tests take a quarter of an hour.
step "build of the tests and of the program"
built="$(deploy/build.sh --build-tests)"
export PROGRAM="$built/sondygo2mqtt"
after_build=$SECONDS

step "format of the changed files, imports, kinds of faults, documents"
base="$(git merge-base HEAD origin/main 2> /dev/null || git rev-parse HEAD)"
changed="$(git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard)"
{ grep '\.swift$' <<< "$changed" || true; } | xargs -r swift format lint --strict
Tests/imports.sh
Tests/kinds.sh
Tests/documents.sh

step "pure tests, and quick ones of the adapters and the program"
# The suites that open nothing, or only files.
suites="$pure|(Adapter|Program)Tests\.(DashboardCheckup|DashboardFlight|FlightStore|GPSDLog|LoopThread|LostReason"
suites+="|PageLock|ProcessMemory|RawLogWriter|TileMap|WindStore)Tests/|FeedsTests\.(Encoding|GDL90|GDL90Stream|Rocket)Tests/"
# Each of these takes more than a second of a core.
long="wholeFlights|theFlightGoesOn|aDayOfComingAndGoing|aLateMemory|commandsDoNotUndo"
long+="|aCarThatStops|landedNearby|anotherFrequencyNeeds|anObservedLandingHasOneTime|carriedWithoutAStop"
long+="|alternatingSerials|failuresBackOff|aCrewAtTheSonde|aSondeThatFliesTwice|aFullDisk"
limited 300 "$built/sondygo2mqttPackageTests.xctest" --testing-library swift-testing --filter "^($suites)" --skip "/($long)" \
    > "$room/tests" 2>&1 || { grep -E '^✘|^↳|^not done' "$room/tests" | grep -vE 'Testing Library|Target Platform'; exit 1; }
tail -n 1 "$room/tests"

if grep -qE '^(deploy/page|Tests/(Page|Browser))/' <<< "$changed"; then
    step "the page, which has changed"
    if [ -x .build/browser/python/bin/biome ]; then
        limited 300 Tests/browser.sh drive_shows maps_line landed_sonde console_is_clean
    else
        echo "Not tested: run Tests/page.sh once, which fetches the page's tools."
    fi
fi

step "the program starts, relays and stops, three times"
limited 300 Tests/smoke.sh "$PROGRAM" 3

step "durations"
table
echo "after the build: $((SECONDS - after_build)) s"
