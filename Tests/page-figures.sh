#!/usr/bin/env bash
# Measures the page's figures with the release build on this machine; takes about five minutes.
#   PROGRAM=… Tests/page-figures.sh    measures a program that is already built
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PROGRAM:-}" ]; then
    swift build -c release --product sondygo2mqtt --static-swift-stdlib --scratch-path .build-static >&2
    PROGRAM="$(swift build -c release --scratch-path .build-static --show-bin-path)/sondygo2mqtt"
fi
export PROGRAM
FRAME_SECONDS=60 Tests/browser.sh ten_thousand
.build/browser/python/bin/python3 Tests/Browser/figures.py
