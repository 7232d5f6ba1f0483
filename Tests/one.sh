#!/usr/bin/env bash
# Builds the tests as Tests/quick.sh and Tests/run.sh do, and runs those that a filter names.
#   Tests/one.sh 'GatewayTests.WalkTests'
#   SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh LanguageTests     writes the fixtures anew
#   KILLS=100 Tests/one.sh '/killedA'
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
[ $# -gt 0 ] || { sed -n '2,5s/^# \?//p' Tests/one.sh >&2; exit 64; }
enclosed "$PWD/Tests/one.sh" "$@"
built="$(deploy/build.sh --build-tests)"
"$built/sondygo2mqttPackageTests.xctest" --testing-library swift-testing --filter "$@"
