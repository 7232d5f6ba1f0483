#!/usr/bin/env bash
# Measures the figures of deploy/doc/measurements.md on this machine; takes about fifteen minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
install_packages strace python3-pip
# Only for comparison. Debian 12 has no packages of these two.
python3 -c 'import orjson' 2>/dev/null || python3 -m pip install --quiet --break-system-packages orjson
python3 -c 'import paho.mqtt' 2>/dev/null || python3 -m pip install --quiet --break-system-packages paho-mqtt
swift build -c release --product sondygo2mqtt --static-swift-stdlib --scratch-path .build-static >&2
swift build -c release --product Benchmarks >&2
program="$(swift build -c release --scratch-path .build-static --show-bin-path)/sondygo2mqtt"
"$(swift build -c release --show-bin-path)/Benchmarks" "$program"
python3 Tests/Benchmarks/compare.py "$program"
python3 Tests/Benchmarks/feeds.py "$program"
