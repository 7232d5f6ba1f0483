#!/usr/bin/env bash
# Installs the Debian packages for building that are missing, when it is run or sourced.
# install_packages NAME...: does the same for the named packages. With INSTALL_NOTHING=1 it only names them, and fails.
install_packages() {
    local missing=() package sudo=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ -z "${INSTALL_NOTHING:-}" ] || { echo "Missing packages: ${missing[*]}" >&2; return 1; }
    echo "Installing: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    export DEBIAN_FRONTEND=noninteractive
    # Do not start the services of these packages: this machine may not want them.
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_packages libbluetooth-dev libmosquitto-dev libsqlite3-dev libssl-dev pkg-config zlib1g-dev
