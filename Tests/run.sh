#!/usr/bin/env bash
# Runs all checks: format, build with warnings as errors, imports, all tests, a fleet, the page in a browser, the
# program that people install, its package under systemd, a short fuzz and the Bluetooth lab.
#   Tests/run.sh            everything
#   FUZZ_SECONDS=600 Tests/run.sh    with a longer fuzz (default 20 s for each fuzzer)
set -euo pipefail
cd "$(dirname "$0")/.."
room="$(mktemp -d)"
declare -A begun=()
trap 'for job in "${begun[@]}"; do kill -- "-$job" 2> /dev/null || true; done; rm -rf "$room"' EXIT

# Runs a step in the background. joined prints its output.
beside() { # name, command
    setsid "${@:2}" > "$room/$1" 2>&1 &
    begun[$1]=$!
}
# Lowest priority: nice orders processes within a session, and the autogroup orders sessions.
meek=(bash -c 'echo 19 2> /dev/null > /proc/self/autogroup || true; exec nice -n 19 "$@"' meek)
joined() { # name
    local status=0
    wait "${begun[$1]}" || status=$?
    unset "begun[$1]"
    cat "$room/$1"
    [ "$status" -eq 0 ]
}
export NO_COLOR=1
# A step that hangs is named within its limit.
limited() { # seconds, command
    timeout --kill-after=10 "$@" || { local status=$?; [ $status -ne 124 ] || echo "not done within $1 s: $2"; return $status; }
}
tests() { # arguments of the tests' program
    limited 1200 "$tests" --testing-library swift-testing "$@" 2>&1 | tee "$room/tests" || { grep -E '^✘|^↳' "$room/tests"; return 1; }
}
step() { printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

step "packages"
. Tests/install.sh

step "format"
git ls-files -z '*.swift' | xargs -0 swift format lint --strict
Tests/workflows.sh

step "build, with only the imports that the manifest declares"
# Optimised as in the release, but the tests may use internal names.
swift build -c release --build-tests -Xswiftc -enable-testing --explicit-target-dependency-import-check error
built="$(swift build -c release --show-bin-path)"
tests="$built/sondygo2mqttPackageTests.xctest" tested="$built/sondygo2mqtt"

step "each target imports what it may"
Tests/imports.sh

# In its own folder: the two builds differ in each file, and each would rebuild the other's files.
static=(swift build -c release --product sondygo2mqtt --static-swift-stdlib --scratch-path .build-static)
beside static "${meek[@]}" "${static[@]}"

step "tests of the pure parts"
tests --filter '^(ReceiverProtocol|ReceiverSimulator|FlightMath|GatewayReports|Gateway|MQTTPublishing|FleetBoard|BluetoothProtocol|SondeHubProtocol)Tests\.'

# These tests measure memory, or a time with less than a second to spare. Others beside them would spoil it.
alone='^AdapterTests\.((DamagedStore|SondeHubMemory|BrokerList)Tests/|LiveStreamTests/aFloodIsBounded)'
step "tests of damaged stores, of memory, and of dead brokers"
tests --no-parallel --filter "$alone"

step "tests of the feeds"
tests --no-parallel --filter '^FeedsTests\.'

step "tests against real brokers, sockets, terminals and servers"
tests --experimental-maximum-parallelization-width 6 --filter '^(Adapter|Program)Tests\.' --skip "$alone"

step "the build that people install, begun beside the tests"
joined static
PROGRAM="$("${static[@]}" --show-bin-path)/sondygo2mqtt"

step "a fleet: three NATS servers, bridges, boards, kills"
PROGRAM="$PROGRAM" limited 900 "$(deploy/fleet/python.sh)" Tests/fleet.py

# Its time limits hold on a machine that does nothing else.
step "the page in a browser"
PROGRAM="$tested" limited 1200 Tests/browser.sh

# Uses one core for some minutes. The guest's clock is virtual, so a busy machine does no harm.
LAB_GATEWAY="$PROGRAM" beside lab Tests/BluetoothLab/run.sh --timeout 1500

step "the release build starts, relays and stops, twenty times"
limited 300 Tests/smoke.sh "$PROGRAM"

beside fuzz "${meek[@]}" Tests/fuzz.sh "${FUZZ_SECONDS:-20}"

step "the Debian package under systemd"
# 77 means: not root, or systemd-nspawn can't boot a machine here.
PROGRAM="$PROGRAM" limited 900 Tests/package.sh || [ $? -eq 77 ]

step "fuzz, begun beside the package"
joined fuzz

step "Bluetooth on a real kernel, begun beside the smoke test"
joined lab

step "done"
