#!/usr/bin/env bash
# Runs the real Tawhiri, from PyPI, with synthetic winds and ground, on a free loopback port:
#   Tests/Peers/tawhiri.sh FOLDER [nowinds|noground]
# The script writes the data to FOLDER (75 MB), prints the port when Tawhiri answers, and runs until it is killed. The
# first run installs Tawhiri below ~/.cache/sondygo2mqtt/peers; it needs a network and half a minute.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="$1"
lacks="${2:-}"
peers="${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt/peers"
python="$peers/tawhiri/bin/python"

mkdir -p "$peers" "$folder/winds"
(
    flock 9
    [ ! -e "$peers/tawhiri.ready" ] || exit 0
    rm -rf "$peers/tawhiri"
    python3 -m venv "$peers/tawhiri"
    # Tawhiri's packages can't be built with today's tools.
    "$python" -m pip install -q 'cython<3.1' 'setuptools<70' wheel flask strict-rfc3339 gunicorn numpy
    "$python" -m pip install -q --no-build-isolation --no-deps magicmemoryview Ruaumoko Tawhiri==0.2.0
    touch "$peers/tawhiri.ready"
) 9>"$peers/tawhiri.lock" >&2

# A flight takes 2.5 h, and the data may begin up to 6 h ago.
[ "$lacks" = nowinds ] || "$python" "$here/tawhiri_dataset.py" "$folder/winds" 4 >&2
[ "$lacks" = noground ] || "$python" "$here/ruaumoko_dataset.py" "$folder/ground" >&2
exec "$python" "$here/tawhiri_server.py" "$folder"
