#!/usr/bin/env bash
# install_packages NAME...: installs the Debian packages that are missing. Sourced; brings what building needs, no more.
install_packages() {
    local missing=() package sudo=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    export DEBIAN_FRONTEND=noninteractive
    # Services of these packages are not wanted here; their start is left to whoever installs them for use.
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_packages libbluetooth-dev libmosquitto-dev libsqlite3-dev pkg-config zlib1g-dev
