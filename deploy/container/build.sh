#!/usr/bin/env bash
# Builds the container image from the Debian package, on a base of Debian's own packages. As root, on Debian 12 or 13.
#   deploy/container/build.sh [PACKAGE.deb] [NAME]    default: the package in .build/deb, the name sondygo2mqtt
# Then:  podman run … localhost/sondygo2mqtt   (deploy/doc/container.md)
set -euo pipefail
cd "$(dirname "$0")/../.."
package="$(realpath "${1:-$(ls -t .build/deb/sondygo2mqtt_*.deb 2> /dev/null | head -1)}")"
name="${2:-sondygo2mqtt}"
[ -f "$package" ] || { echo "There is no package; deploy/build-deb.sh makes one." >&2; exit 69; }
. deploy/install.sh
install_packages buildah debootstrap
architecture="$(dpkg-deb --field "$package" Architecture)"
release="$(. /etc/os-release && echo "$VERSION_CODENAME")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mirror="${MIRROR:-http://deb.debian.org/debian}"
debootstrap --variant=minbase --include=ca-certificates --arch="$architecture" "$release" "$work/root" "$mirror"
cp "$package" "$work/root/package.deb"
chroot "$work/root" apt-get install -y -qq --no-install-recommends /package.deb
rm -rf "$work/root/package.deb" "$work/root/var/cache/apt" "$work/root/var/lib/apt/lists" "$work/root/usr/share/doc/"*
# The image's own user; the volume is its home.
chroot "$work/root" useradd --system --uid 900 --home-dir /data --no-create-home sondygo2mqtt
mkdir -p "$work/root/data"
echo "# Every key with its meaning: config.example.yaml" > "$work/root/data/config.yaml"

# Only this format knows health checks.
export BUILDAH_FORMAT=docker
container="$(buildah from scratch)"
trap 'buildah rm "$container" > /dev/null; rm -rf "$work"' EXIT
buildah add --quiet "$container" "$work/root" /
buildah run --isolation "${BUILDAH_ISOLATION:-oci}" --user 0:0 "$container" -- chown -R 900:900 /data
buildah config --user 900:900 --volume /data --port 8080 --workingdir /data \
    --env SONDYGO_GATEWAY_STATE_DIRECTORY=/data --env SONDYGO_DASHBOARD_ADDRESS=:: --env LIBDISPATCH_LOG=NO \
    --healthcheck 'CMD-SHELL exec 3<>/dev/tcp/127.0.0.1/8080 && printf "GET /api/health HTTP/1.0\r\n\r\n" >&3 && head -1 <&3 | grep -q 200' \
    --healthcheck-interval 30s --healthcheck-start-period 20s --shell "/bin/bash -c" \
    --entrypoint '["/usr/bin/sondygo2mqtt"]' --cmd "run --config /data/config.yaml" --stop-signal SIGTERM \
    --label org.opencontainers.image.source=https://github.com/sondygo2mqtt/sondygo2mqtt \
    --label org.opencontainers.image.licenses=GPL-3.0-or-later "$container"
buildah commit --quiet "$container" "$name"
echo "$name is built."
