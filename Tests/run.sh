#!/usr/bin/env bash
# Every check there is: format, build with warnings as errors, imports, all tests, a short fuzz, the example commands.
#   Tests/run.sh            everything
#   FUZZ_SECONDS=600 Tests/run.sh    with a longer fuzz (default 20 s for each fuzzer)
set -euo pipefail
cd "$(dirname "$0")/.."
room="$(mktemp -d)"
declare -A begun=()
trap 'for job in "${begun[@]}"; do kill -- "-$job" 2> /dev/null || true; done; rm -rf "$room"' EXIT

# What runs beside the steps that follow; its output comes out when it is joined.
beside() { # name, command
    setsid "${@:2}" > "$room/$1" 2>&1 &
    begun[$1]=$!
}
joined() { # name
    local status=0
    wait "${begun[$1]}" || status=$?
    unset "begun[$1]"
    cat "$room/$1"
    [ "$status" -eq 0 ]
}
step() { printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

step "packages"
. Tests/install.sh

step "format"
git ls-files -z '*.swift' | xargs -0 swift format lint --strict

step "build, with only the imports that the manifest declares"
swift build --build-tests --explicit-target-dependency-import-check error

step "each target imports what it may"
Tests/imports.sh

# Two processes that each keep a core busy for minutes; neither watches the clock, and the first measures what it takes
# itself. Of two `swift test` in one folder the second would wait.
beside damaged "$(swift build --show-bin-path)/sondygo2mqttPackageTests.xctest" --testing-library swift-testing --no-parallel \
    --filter '^AdapterTests\.(DamagedStoreTests|SondeHubMemoryTests)'
step "tests of the pure parts"
swift test --skip-build --filter '^(ReceiverProtocol|ReceiverSimulator|GatewayCore|BluetoothProtocol|SondeHubProtocol)Tests\.' 2>&1
step "tests of damaged stores, and of memory, begun beside them"
joined damaged

step "tests of the feeds"
swift test --skip-build --no-parallel --filter '^FeedsTests\.' 2>&1

step "tests against real brokers, sockets, terminals and servers"
swift test --skip-build --experimental-maximum-parallelization-width 6 --filter '^(Adapter|Gateway)Tests\.' \
    --skip '^AdapterTests\.(DamagedStoreTests|SondeHubMemoryTests)' 2>&1

step "the page in a browser"
Tests/browser.sh

# Bluetooth on a real kernel keeps one core busy for minutes, and its guest's clock doesn't mind a busy machine.
beside lab Tests/BluetoothLab/run.sh connect neighbours losses adapter bluetoothd commands scan

step "the release build starts, relays and stops, twenty times"
swift build -c release --product sondygo2mqtt --static-swift-stdlib
PROGRAM="$(swift build -c release --static-swift-stdlib --show-bin-path)/sondygo2mqtt"
Tests/smoke.sh "$PROGRAM"

step "the Debian package under systemd"
# 77: no root here, or systemd-nspawn can't boot a machine.
PROGRAM="$PROGRAM" Tests/package.sh || [ $? -eq 77 ]

# Its figures are those of the program that people run, and an emulated hour of the other takes twice as long.
LAB_GATEWAY="$PROGRAM" beside hour Tests/BluetoothLab/run.sh --timeout 1500 hour

step "fuzz"
Tests/fuzz.sh "${FUZZ_SECONDS:-20}"

step "Bluetooth on a real kernel, begun beside the release build"
joined lab
joined hour

step "done"
