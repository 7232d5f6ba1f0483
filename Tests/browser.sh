#!/usr/bin/env bash
# The page in a real browser: the program with a simulated flight and car, Debian's Chromium, Selenium.
#   Tests/browser.sh [NAME...]     all tests, or those whose names hold one of the words
# PROGRAM names a program that is built already. Pictures of what failed, and of every screen, go to .build/browser; with
# README_PICTURE=1 the README's is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
room="$PWD/.build/browser"
mkdir -p "$room"
if [ ! -x "$room/python/bin/python3" ]; then
    python3 -m venv "$room/python"
    "$room/python/bin/pip" install --quiet 'selenium>=4.20' pillow
fi

# The page is one of modules, with no build that would find a slip.
check="$(mktemp -d)"
trap 'rm -rf "$check"' EXIT
cp deploy/page/*.js "$check"
echo '{"type":"module"}' > "$check/package.json"
for file in "$check"/*.js; do node --check "$file"; done

PROGRAM="${PROGRAM:-$(swift build --show-bin-path)/sondygo2mqtt}" "$room/python/bin/python3" Tests/Browser/run.py "$@"
