#!/usr/bin/env bash
# Shows a fleet on this machine: three NATS servers, five simulated cars, each with its own mosquitto and bridge, and
# the board. The server that all use is killed and comes back. At the end it prints how many positions were lost.
#   deploy/fleet/demo-fleet.sh
# It takes about a minute; the first run takes some minutes more, because it installs packages and builds. PROGRAM names
# a program that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."

. deploy/install.sh
install_packages mosquitto mosquitto-clients nats-server openssl python3 python3-venv stunnel4
if [ -z "${PROGRAM:-}" ]; then
    echo "Building sondygo2mqtt (the first time takes some minutes) …"
    PROGRAM="$(deploy/build.sh)/sondygo2mqtt"
fi
exec "$(deploy/fleet/python.sh)" deploy/fleet/demo_fleet.py "$PROGRAM"
