#!/usr/bin/env bash
# Runs the real Valhalla, from PyPI, with an invented road network around a place:
#   Tests/Peers/valhalla.sh FOLDER LATITUDE LONGITUDE PORT
# The script keeps the map tiles in FOLDER and uses them again. It prints `ready` when Valhalla serves, and runs until
# it is killed. It ends with 77 if the package is not available. Valhalla stays below ~/.cache/sondygo2mqtt/peers.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="$1" latitude="$2" longitude="$3" port="$4"
peers="${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt/peers"

mkdir -p "$peers" "$folder"
(
    flock 9
    [ ! -e "$peers/valhalla.ready" ] || exit 0
    rm -rf "$peers/valhalla" "$peers/valhalla.wheel"
    mkdir -p "$peers/valhalla.wheel"
    # The wheel needs a newer Python than Debian's, but its programs do not use Python.
    python3 -m pip download -q --no-deps --only-binary :all: --python-version 3.12 \
        --platform manylinux_2_28_x86_64 -d "$peers/valhalla.wheel" pyvalhalla==3.9.1 || exit 77
    python3 -m zipfile -e "$peers"/valhalla.wheel/*.whl "$peers/valhalla"
    chmod +x "$peers"/valhalla/valhalla/bin/*
    rm -rf "$peers/valhalla.wheel"
    touch "$peers/valhalla.ready"
) 9>"$peers/valhalla.lock" >&2

programs="$peers/valhalla/valhalla/bin"
if [ ! -e "$folder/ready" ]; then
    python3 "$here/osm_grid.py" "$latitude" "$longitude" > "$folder/grid.osm"
    osmium cat --overwrite "$folder/grid.osm" -o "$folder/grid.osm.pbf" >&2
    python3 "$peers/valhalla/valhalla/valhalla_build_config.py" --mjolnir-tile-dir "$folder/tiles" \
        --mjolnir-admin '' --mjolnir-timezone '' --httpd-service-listen "tcp://127.0.0.1:$port" \
        --httpd-service-loopback "ipc://$folder/loopback" --httpd-service-interrupt "ipc://$folder/interrupt" \
        > "$folder/all.json"
    python3 - "$folder" <<'END'
import json
import sys

configuration = json.load(open(sys.argv[1] + "/all.json"))
for key in ("tile_extract", "traffic_extract"):
    configuration["mjolnir"].pop(key, None)
json.dump(configuration, open(sys.argv[1] + "/valhalla.json", "w"))
END
    "$programs/valhalla_build_tiles" -c "$folder/valhalla.json" -j 1 "$folder/grid.osm.pbf" >&2
    touch "$folder/ready"
fi
rm -f "$folder/loopback" "$folder/interrupt"
# The service ends with this script, however the script ends.
setpriv --pdeathsig KILL "$programs/valhalla_service" "$folder/valhalla.json" 1 >&2 &
service=$!
# SIGTERM would let the service finish its last connections first.
trap 'kill -9 "$service" 2>/dev/null; exit 0' EXIT TERM INT
for _ in $(seq 300); do
    if python3 -c "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1)" "$port" 2>/dev/null
    then
        echo ready
        break
    fi
    sleep 0.1
done
wait "$service"
