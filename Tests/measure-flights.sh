#!/usr/bin/env bash
# Compares burst, landing and own-winds prediction with real flights:
#   measure-flights.sh [--verbose | --radii | --advice | --told=FLIGHT] FOLDER
#
# FOLDER holds flights as CSV files (t_unix,lat,lon,alt,...: seconds, degrees, metres above sea level), and expected.csv
# with a reference's predictions and the real landing places. This repository contains no flights.
# --told prints what a crew hears in one flight. towns.csv (name,lat,lon,people) names the towns for that.
# Tests/FlightMeasurements/make-flights.py makes flights on which nobody has tuned anything.
#
# The radii under known winds: measure-flights.sh --radii FOLDER | Tests/FlightMeasurements/fit-radii.py
set -euo pipefail
folder=${*: -1}
test -d "$folder" || { echo "usage: $0 [--verbose | --radii | --advice | --told=FLIGHT] FOLDER" >&2; exit 64; }
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
program="$(deploy/build-program.sh FlightMeasurements | tee /dev/stderr | tail -1)"
exec "$program" "${@:1:$#-1}" "$folder"
