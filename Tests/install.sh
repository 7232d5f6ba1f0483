#!/usr/bin/env bash
# Installs the Debian packages for building and testing. Other scripts source it. install_packages comes from
# deploy/install.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/install.sh"

install_packages mosquitto mosquitto-clients python3-jsonschema openssl strace
# A broker that speaks MQTT 3.1.1 only.
install_packages nats-server stunnel4
# The Bluetooth lab (Tests/BluetoothLab).
install_packages bluez cpio dbus gcc kmod make python3 qemu-system-x86 xz-utils
# Checks of exported flights (Tests/Peers/xml-schemas.sh).
install_packages libxml2-utils python3-venv
# The page: its map, and the browser of its tests (Tests/Browser). Selenium comes from PyPI.
install_packages libjs-leaflet libjs-dygraphs node-qrcode-generator chromium chromium-driver fonts-dejavu-core nodejs node-typescript python3-pip python3-pil
# The car: a real gpsd with a player of NMEA logs, Valhalla's tiles (Tests/Peers/valhalla.sh), and the voice.
install_packages gpsd gpsd-clients osmium-tool python3-pip espeak-ng jq
# The heights of the ground.
install_packages gdal-bin
# The real Tawhiri (Tests/Peers), which is built from source.
install_packages gcc python3-dev python3-venv
