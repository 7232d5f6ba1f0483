#!/usr/bin/env bash
# Lets a car follow what the page advises on real flights: measure-advice.sh FOLDER
#
# FOLDER is that of measure-flights.sh. Fails if the word changes more than 6 times a flight in the median, or if a
# direction more than 60 degrees wrong is advised in more than 1 of 10 flights.
set -euo pipefail
folder=${1:?"usage: $0 FOLDER"}
here="$(cd "$(dirname "$0")" && pwd)"
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
"$here/measure-flights.sh" --advice "$folder" > "$room/rows.csv"
# Node takes a file for a module only beside a package.json that says so.
cp -r "$here/../deploy/page" "$room/page"
echo '{"type":"module"}' > "$room/package.json"
node "$here/FlightMeasurements/advice.mjs" "$room/page" "$room/rows.csv"
