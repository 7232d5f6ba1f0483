#!/usr/bin/env bash
# Prints the path of a Python with nats-py, bcrypt and paho-mqtt from PyPI. The first run makes it in the user's cache.
set -euo pipefail
room="${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt-fleet"
if ! "$room/bin/python" -c 'import bcrypt, nats, paho' 2> /dev/null; then
    python3 -m venv "$room"
    "$room/bin/python" -m pip install --quiet --disable-pip-version-check bcrypt nats-py paho-mqtt >&2
fi
echo "$room/bin/python"
