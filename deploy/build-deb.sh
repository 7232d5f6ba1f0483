#!/usr/bin/env bash
# Builds the Debian package of this checkout.
#   deploy/build-deb.sh [--arch arm64] [FOLDER]    writes the package to FOLDER (default: .build/deb), and beside it the
#                                                  list of its parts and their revisions
# Without --arch: for this machine's architecture and Debian release. --arch arm64: on amd64, as root, for Debian 12 and
# 13, with a compiler of its own (deploy/arm64).
# PROGRAM names a program that is already built; VERSION replaces the program's own version. HELP_PROGRAM names a program of
# the same sources that runs on this machine: with it the cross-build emulates nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
arch="$(dpkg --print-architecture)" cross=""
if [ "${1:-}" = --arch ]; then
    [ "$2" = "$arch" ] || cross="$2"
    arch="$2"
    shift 2
    [[ "$cross" =~ ^(arm64)?$ ]] || { echo "--arch $cross: only arm64 can be built on another machine" >&2; exit 64; }
fi
target="$(mkdir -p "${1:-.build/deb}" && cd "${1:-.build/deb}" && pwd)"

. deploy/install.sh
install_packages build-essential debhelper dpkg-dev python3
[ -z "$cross" ] || install_packages binutils-aarch64-linux-gnu
[ -z "$cross" ] || [ -n "${HELP_PROGRAM:-}" ] || install_packages qemu-user-static
if [ -z "${PROGRAM:-}" ] && [ -n "$cross" ]; then
    deploy/arm64/build.sh
    PROGRAM="$PWD/.build/arm64/build/aarch64-unknown-linux-gnu/release/sondygo2mqtt"
elif [ -z "${PROGRAM:-}" ]; then
    PROGRAM="$(deploy/build-program.sh | tee /dev/stderr | tail -1)"
fi
readelf -h "$PROGRAM" > /dev/null 2>&1 || { echo "$PROGRAM is no program that readelf knows." >&2; exit 1; }
libraries="$(readelf -d "$PROGRAM" | grep -oE '\[lib(swift|_?Foundation|dispatch|BlocksRuntime)[^]]*' | tr -d '[' || true)"
if [ -n "$libraries" ]; then
    echo "$PROGRAM is not self-contained: it needs $(tr '\n' ' ' <<< "$libraries")" >&2
    echo "Build it with --static-swift-stdlib." >&2
    exit 1
fi
version="${VERSION:-$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/sondygo2mqtt/Version.swift)}"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
room="$work/sondygo2mqtt-$version"
mkdir "$room"
cp -r deploy/debian deploy/config.example.yaml deploy/usb-cable.conf deploy/mosquitto deploy/fleet deploy/homeassistant deploy/dashboards README.md "$room"
rm -rf "$room/fleet/__pycache__"
mkdir "$room/deploy"
cp -r deploy/doc "$room/deploy"
cp -r Fixtures/schemas deploy/page deploy/kiosk deploy/speech deploy/avahi "$room"
# The scripts that make the page's data need the checkout.
find "$room/page" -name '*.py' -delete
mv "$room/debian/config.yaml" "$room"
cp "$PROGRAM" "$room/sondygo2mqtt"

# The argument parser's help becomes the manual page and the shells' completions. The cross-build asks HELP_PROGRAM, or
# runs its own program under qemu.
sdk="$PWD/.build/arm64/sdks/debian.artifactbundle/arm64/sysroot"
program=(${cross:+qemu-aarch64-static -L "$sdk"} "$PROGRAM")
[ -z "${HELP_PROGRAM:-}" ] || program=("$HELP_PROGRAM")
"${program[@]}" --experimental-dump-help > "$work/help"
deploy/manual.py "$version" < "$work/help" > "$room/sondygo2mqtt.1"
mkdir -p "$room/completions"/{bash,zsh,fish}
"${program[@]}" --generate-completion-script bash | sed "1{/^#!/d}" > "$room/completions/bash/sondygo2mqtt"
"${program[@]}" --generate-completion-script zsh > "$room/completions/zsh/_sondygo2mqtt"
"${program[@]}" --generate-completion-script fish > "$room/completions/fish/sondygo2mqtt.fish"

cat > "$room/debian/changelog" <<END
sondygo2mqtt ($version) unstable; urgency=medium

  * See https://github.com/sondygo2mqtt/sondygo2mqtt/releases

 -- $(sed -n 's/^Maintainer: //p' deploy/debian/control)  $(git log -1 --format=%cD 2>/dev/null || date -R)
END
cd "$room"
pack=(dpkg-buildpackage -d "-a$arch" --build=binary --no-sign)
if [ -n "$cross" ]; then
    # dpkg-shlibdeps looks for libraries in /usr/lib, where the other architecture's are in this mount namespace only.
    export SHLIBDEPS="--admindir=${sdk%/sdks/*}/admin -l/usr/lib/aarch64-linux-gnu -l/lib/aarch64-linux-gnu"
    pack=(unshare -m --propagation private bash -c
        'mount -t overlay overlay -o "lowerdir=/usr/lib:$0/usr/lib" /usr/lib; exec "$@"' "$sdk" "${pack[@]}")
fi
"${pack[@]}" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
cp "$work"/*.deb "$target"
package="$target/sondygo2mqtt_${version}_$arch.deb"
# The licences stand in the sources of the Swift packages, which each build folder holds.
cd - > /dev/null
checkouts="$(ls -d .build-static/checkouts .build/arm64/build/checkouts .build/checkouts 2> /dev/null | head -1 || true)"
if [ -n "$checkouts" ] && [ -e Package.resolved ]; then
    cp Package.resolved "${package%.deb}.resolved.json"
    deploy/release/parts.py "$package" Package.resolved "$checkouts" > "${package%.deb}.cdx.json"
else
    echo "No list of parts: this checkout has built nothing, so it lacks the sources of the Swift packages." >&2
fi
ls "$package"
