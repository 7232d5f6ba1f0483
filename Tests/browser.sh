#!/usr/bin/env bash
# Tests the page in a real browser: the program with a simulated flight and car, Debian's Chromium, and Selenium.
#   Tests/browser.sh [NAME...]     all tests, or those whose names contain one of the words
# PROGRAM names a program that is already built. Pictures of each screen and of failures go to .build/browser.
# README_PICTURE=1 makes the README's picture anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
room="$PWD/.build/browser"
mkdir -p "$room"
if [ ! -x "$room/python/bin/python3" ]; then
    python3 -m venv "$room/python"
    "$room/python/bin/pip" install --quiet 'selenium>=4.20' pillow
fi

# The page has no build step that would find errors, so check its modules here.
check="$(mktemp -d)"
trap 'rm -rf "$check"' EXIT
cp deploy/page/*.js "$check"
echo '{"type":"module"}' > "$check/package.json"
for file in "$check"/*.js; do node --check "$file"; done

PROGRAM="${PROGRAM:-$(swift build --show-bin-path)/sondygo2mqtt}" "$room/python/bin/python3" Tests/Browser/run.py "$@"
