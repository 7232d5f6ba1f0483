#!/usr/bin/env bash
# Measures the page's figures with the release build on this machine; takes about five minutes.
#   PROGRAM=… Tests/page-figures.sh    measures a program that is already built
set -euo pipefail
cd "$(dirname "$0")/.."
PROGRAM="${PROGRAM:-$(deploy/build-program.sh | tee /dev/stderr | tail -1)}"
export PROGRAM
FRAME_SECONDS=60 Tests/browser.sh ten_thousand
.build/browser/python/bin/python3 Tests/Browser/figures.py
