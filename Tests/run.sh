#!/usr/bin/env bash
# Every check there is: format, build with warnings as errors, imports, all tests, a short fuzz, the example commands.
#   Tests/run.sh            everything
#   FUZZ_SECONDS=600 Tests/run.sh    with a longer fuzz (default 20 s for each fuzzer)
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s\n' "$1"; }

step "packages"
. Tests/install.sh

step "format"
git ls-files -z '*.swift' | xargs -0 swift format lint --strict

step "build, with only the imports that the manifest declares"
swift build --build-tests --explicit-target-dependency-import-check error

step "each target imports what it may"
Tests/imports.sh

# Apart: the pure tests keep every core busy, and the others watch the clock.
step "tests of the pure parts"
swift test --skip-build --filter '^(ReceiverProtocol|ReceiverSimulator|GatewayCore|BluetoothProtocol|SondeHubProtocol)Tests\.' 2>&1

# Apart, too: it flips thousands of bits one after the other.
step "tests of damaged stores"
swift test --skip-build --filter '^AdapterTests\.(DamagedStoreTests|SondeHubMemoryTests)' 2>&1

step "tests against real brokers, sockets, terminals and servers"
swift test --skip-build --experimental-maximum-parallelization-width 6 --filter '^(Adapter|Gateway)Tests\.' \
    --skip '^AdapterTests\.(DamagedStoreTests|SondeHubMemoryTests)' 2>&1

step "Bluetooth on a real kernel"
Tests/BluetoothLab/run.sh

step "the Debian package under systemd"
# 77: no root here, or systemd-nspawn can't boot a machine.
Tests/package.sh || [ $? -eq 77 ]

step "fuzz"
Tests/fuzz.sh "${FUZZ_SECONDS:-20}"

step "done"
