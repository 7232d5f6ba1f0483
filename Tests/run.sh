#!/usr/bin/env bash
# Runs all checks that a change needs: format, two builds with warnings as errors, imports, all tests, a fleet, the page in
# a browser, the program that people install, its package under systemd, a short fuzz and the Bluetooth lab.
#   Tests/run.sh                     everything; walks and damage at a tenth of their length
#   SEED=7 Tests/run.sh              the tenth that an earlier run printed
# Tests/nightly.sh runs all of it at full length. Tests/quick.sh runs in less than two minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
enclosed "$PWD/Tests/run.sh" "$@"
export SEED="${SEED:-$((RANDOM % 10))}"
[ -n "${FULL_LENGTH:-}" ] || echo "SEED=$SEED chooses the tenth of the walks and of the damage."

step "packages"
. Tests/install.sh

step "format, imports of each target, kinds of faults"
git ls-files -z '*.swift' | xargs -0 swift format lint --strict
Tests/workflows.sh
Tests/imports.sh
Tests/documents.sh
Tests/kinds.sh

# Each in its own folder: the options differ, and each build would make the other's files anew. They run beside each
# other, because optimising a module needs one core only.
swift package resolve
programs() { deploy/build-program.sh | tee "$room/path" && Tests/fuzz.sh build; }
beside programs programs
step "build of the tests, with only the imports that the manifest declares"
built="$(deploy/build.sh --build-tests)"
tests="$built/sondygo2mqttPackageTests.xctest"
step "builds of the program that people install and of the fuzzers, begun beside the tests'"
joined programs
# All tests of the program, of the page, of the package and of the lab use this one.
PROGRAM="$(tail -n 1 "$room/path")"
export PROGRAM LAB_GATEWAY="$PROGRAM"
after_builds=$SECONDS

tests() { # arguments of the tests' program
    limited "${TESTS_LIMIT:-1200}" "$tests" --testing-library swift-testing "$@" 2>&1 | tee "$room/tests" || { grep -E '^✘|^↳' "$room/tests"; return 1; }
}

# 77 means: not root, or systemd-nspawn can't boot a machine here.
package() { limited 900 Tests/package.sh || [ $? -eq 77 ]; }
# It mostly waits, and needs ports that later tests may use. The pure tests need a processor and no certain time.
beside package package
step "tests of the pure parts"
tests --filter "^$pure"

step "the Debian package under systemd, begun beside the pure tests"
joined package

step "tests of promised times, and of the memory of huge answers"
tests --no-parallel --filter "$alone"

# It uses one core for some minutes. The guest's clock is virtual, so a busy machine does no harm.
beside lab "${meek[@]}" Tests/BluetoothLab/run.sh --timeout 1500
# It mostly waits.
beside fleet limited "${FLEET_LIMIT:-900}" "$(deploy/fleet/python.sh)" Tests/fleet.py "${FLEET_KILLS:-2}"

step "tests against real brokers, sockets, terminals and servers"
tests --experimental-maximum-parallelization-width 8 --filter '^(Adapter|Program|Feeds)Tests\.' --skip "$alone"

step "a fleet, begun before: three NATS servers, bridges, boards, kills"
joined fleet

step "the page in a browser"
limited 1200 Tests/browser.sh

# Not beside the fleet: three servers that agree among themselves need a processor in time.
beside fuzz "${meek[@]}" Tests/fuzz.sh "${FUZZ_SECONDS:-20}"
step "the release build starts, relays and stops, twenty times"
limited 300 Tests/smoke.sh "$PROGRAM"

step "fuzz, begun beside the starts"
joined fuzz

step "Bluetooth on a real kernel, begun beside the tests"
joined lab

step "durations"
table | tee .build/durations
printf 'after the builds: %d min %02d s; build folders: %s, %s\n' $(((SECONDS - after_builds) / 60)) \
    $(((SECONDS - after_builds) % 60)) "$built" "$(dirname "$PROGRAM")"
