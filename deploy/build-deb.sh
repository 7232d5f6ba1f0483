#!/usr/bin/env bash
# Builds the Debian package of this checkout for this machine's architecture and Debian release.
#   deploy/build-deb.sh [FOLDER]    writes the package to FOLDER (default: .build/deb)
# PROGRAM names a program that is already built; VERSION replaces the program's own version.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(mkdir -p "${1:-.build/deb}" && cd "${1:-.build/deb}" && pwd)"

. deploy/install.sh
install_packages build-essential debhelper dpkg-dev
if [ -z "${PROGRAM:-}" ]; then
    # Debian has no Swift runtime, so the program contains it.
    swift build -c release --product sondygo2mqtt --static-swift-stdlib --scratch-path .build-static
    PROGRAM="$(swift build -c release --scratch-path .build-static --show-bin-path)/sondygo2mqtt"
fi
version="${VERSION:-$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/sondygo2mqtt/Version.swift)}"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
room="$work/sondygo2mqtt-$version"
mkdir "$room"
cp -r deploy/debian deploy/config.example.yaml deploy/usb-cable.conf deploy/mosquitto deploy/fleet deploy/homeassistant README.md "$room"
rm -rf "$room/fleet/__pycache__"
mkdir "$room/deploy"
cp -r deploy/doc "$room/deploy"
cp -r deploy/page deploy/kiosk deploy/speech deploy/avahi "$room"
rm "$room/page/base/make.py"
mv "$room/debian/config.yaml" "$room"
cp "$PROGRAM" "$room/sondygo2mqtt"
cat > "$room/debian/changelog" <<END
sondygo2mqtt ($version) unstable; urgency=medium

  * See https://github.com/sondygo2mqtt/sondygo2mqtt/releases

 -- $(sed -n 's/^Maintainer: //p' deploy/debian/control)  $(git log -1 --format=%cD 2>/dev/null || date -R)
END
(cd "$room" && dpkg-buildpackage --build=binary --no-sign >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
cp "$work"/*.deb "$target"
ls "$target"/sondygo2mqtt_"$version"_*.deb
