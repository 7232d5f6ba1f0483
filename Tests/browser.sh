#!/usr/bin/env bash
# Tests the page without a browser (Tests/page.sh), then in one: the program with a simulated flight and car, Debian's
# Chromium, and Selenium.
#   Tests/browser.sh [NAME...]     all tests, or those whose names contain one of the words; -NAME leaves a test out
# PROGRAM names a program that is already built. Pictures of each screen and of failures go to .build/browser.
# README_PICTURE=1 makes the README's picture anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
room="$PWD/.build/browser"
# The page has no build step that would find errors.
Tests/page.sh

PROGRAM="${PROGRAM:-$(deploy/build.sh)/sondygo2mqtt}" "$room/python/bin/python3" Tests/Browser/run.py "$@"
