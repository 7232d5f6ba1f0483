#!/usr/bin/env bash
# Builds this commit in two new folders and compares the programs byte for byte. If they differ, it says in which sections.
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
cmp -s "${programs[@]}" && { echo "The two programs are the same, byte for byte."; exit; }
echo "The two programs differ. Bytes in each section of the first that differ in the second:"
for section in $(readelf -SW "${programs[0]}" | sed -nE 's/^ *\[ *[0-9]+\] (\.[^ ]+) .*/\1/p'); do
    for number in 0 1; do
        : > "$room/section$number"
        objcopy --dump-section "$section=$room/section$number" "${programs[number]}" /dev/null 2> "$room/log" || true
    done
    count="$({ cmp -l "$room/section0" "$room/section1" 2> "$room/log" || true; } | wc -l)"
    # objcopy has no contents of .bss and of the symbols' tables.
    [ ! -s "$room/log" ] || count="?"
    [ "$count" = 0 ] || echo "$count  $section"
done
exit 1
