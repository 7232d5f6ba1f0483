#!/usr/bin/env bash
# Builds this commit in two new folders and compares the programs byte for byte.
#   deploy/release/compare-builds.sh [PRODUCT]    FlightMeasurements takes a quarter of the time
set -euo pipefail
cd "$(dirname "$0")/../.."
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
programs=()
for folder in first a/longer/second; do
    git clone --quiet . "$room/$folder"
    programs+=("$("$room/$folder/deploy/build-program.sh" "$@" 2> "$room/log" | tail -1)") || { cat "$room/log" >&2; exit 1; }
done
for program in "${programs[@]}"; do
    echo "$(sha256sum < "$program" | cut -c1-16)  $(strings "$program" | grep -c -F "$room" || true) paths of the folder  $program"
done
cmp "${programs[@]}" && echo "The two programs are the same, byte for byte."
