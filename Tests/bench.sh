#!/usr/bin/env bash
# Measures the figures of deploy/doc/measurements.md on this machine; takes about fifteen minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
install_packages strace python3-pip
# Only for comparison. Debian 12 has no packages of these two.
python3 -c 'import orjson' 2>/dev/null || python3 -m pip install --quiet --break-system-packages orjson
python3 -c 'import paho.mqtt' 2>/dev/null || python3 -m pip install --quiet --break-system-packages paho-mqtt
program="$(deploy/build-program.sh | tee /dev/stderr | tail -1)"
benchmarks="$(deploy/build-program.sh Benchmarks | tee /dev/stderr | tail -1)"
"$benchmarks" "$program"
python3 Tests/Benchmarks/compare.py "$program"
python3 Tests/Benchmarks/feeds.py "$program"
python3 Tests/Benchmarks/samples.py
