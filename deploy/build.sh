#!/usr/bin/env bash
# Builds this checkout in .build, optimised, and prints the folder of the programs. deploy/demo.sh and all tests build with it:
# with other options each of them would compile all files anew.
#   deploy/build.sh                 the program
#   deploy/build.sh --build-tests   the program and the tests, which may use internal names (-enable-testing)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- --product sondygo2mqtt
options=(-c release -Xswiftc -enable-testing)
swift build "${options[@]}" --explicit-target-dependency-import-check error "$@" >&2
swift build "${options[@]}" --show-bin-path
