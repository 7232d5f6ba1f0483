#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if any is missing. Sourced by run.sh, demo.sh and bench.sh.
need=(libbluetooth-dev libmosquitto-dev libsqlite3-dev mosquitto mosquitto-clients pkg-config python3-jsonschema openssl)
# The Bluetooth lab (Tests/BluetoothLab).
need+=(bluez cpio dbus gcc kmod make python3 qemu-system-x86 xz-utils)
missing=()
for package in "${need[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing: ${missing[*]}"
    sudo=; [ "$(id -u)" -eq 0 ] || sudo=sudo
    export DEBIAN_FRONTEND=noninteractive
    # Mosquitto's own service is not wanted here; the tests start theirs.
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
