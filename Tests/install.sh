#!/usr/bin/env bash
# install_packages NAME...: installs the Debian packages that are missing. Sourced; brings what building and testing need.
install_packages() {
    local missing=() package sudo=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    export DEBIAN_FRONTEND=noninteractive
    # Mosquitto's own service is not wanted here; the tests start theirs.
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_packages libbluetooth-dev libmosquitto-dev libsqlite3-dev mosquitto mosquitto-clients pkg-config zlib1g-dev \
    python3-jsonschema openssl
# The Bluetooth lab (Tests/BluetoothLab).
install_packages bluez cpio dbus gcc kmod make python3 qemu-system-x86 xz-utils
# What exported flights are checked with (Tests/Peers/xml-schemas.sh).
install_packages libxml2-utils python3-venv
# The page: its map, and the browser that tries it (Tests/Browser); Selenium comes from PyPI.
install_packages libjs-leaflet chromium chromium-driver fonts-dejavu-core nodejs python3-pip python3-pil
# The car: a real gpsd and a player of receivers' logs, Valhalla's tiles (Tests/Peers/valhalla.sh), and the voice.
install_packages gpsd gpsd-clients osmium-tool python3-pip espeak-ng jq
# The real Tawhiri (Tests/Peers), which is built from source.
install_packages gcc python3-dev python3-venv
