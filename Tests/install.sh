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
# The real Tawhiri (Tests/Peers), which is built from source.
install_packages gcc python3-dev python3-venv
