#!/usr/bin/env bash
# Tests the Debian package in a fresh Debian that systemd has booted (systemd-nspawn): install, relay, freeze, kill,
# upgrade, remove, purge.
#   Tests/package.sh            PROGRAM names a program that is already built
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
. Tests/PackageTest/after-boot.sh
install_packages lintian mmdebstrap systemd-container
[ "$(id -u)" -eq 0 ] || { echo "Not tested: systemd-nspawn needs root." >&2; exit 77; }

# The booted machine shares this machine's network. mosquitto and the page use their default ports there, so these must
# be free.
for port in 1883 8080; do
    if (: < "/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
        echo "Port $port is in use here, and the package's test needs it; stop what listens there (ss -ltnp)." >&2
        exit 1
    fi
done

room="$(mktemp -d)"
machine="sondygo-package-$$"
finish() {
    machinectl --quiet terminate "$machine" 2>/dev/null || true
    rm -rf --one-file-system "$room"
}
trap finish EXIT

# Nobody downloads the older one.
BUILDDEB=-Znone VERSION=0.0.1 PROGRAM="${PROGRAM:-}" deploy/build-deb.sh "$room/desk"
PROGRAM="${PROGRAM:-}" deploy/build-deb.sh "$room/desk"
# In the older package the configuration is a conffile, with another default.
older="$(ls "$room"/desk/*_0.0.1_*.deb)"
dpkg-deb --raw-extract "$older" "$room/older"
mkdir -p "$room/older/etc/sondygo2mqtt"
# dpkg asks if both the user and the package have changed a conffile.
echo "# An older default." > "$room/older/etc/sondygo2mqtt/config.yaml"
echo /etc/sondygo2mqtt/config.yaml >> "$room/older/DEBIAN/conffiles"
dpkg-deb --root-owner-group -Znone --build "$room/older" "$older"
# The program calls libbluetooth: its symbols are unresolved until the library is loaded.
program="$(ls "$room"/desk/*.deb | grep -v 0.0.1)"
dpkg-deb --fsys-tarfile "$program" | tar -x -C "$room" ./usr/bin/sondygo2mqtt
deploy/libraries.sh "$room/usr/bin/sondygo2mqtt"
lintian --allow-root --fail-on error,warning "$(ls "$room"/desk/*.deb | grep -v 0.0.1)"
cp Tests/PackageTest/inside.sh "$room/desk/"

# Uses the package sources of this machine, with its keys and its proxy.
mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d -maxdepth 1 -type f \
    \( -name '*.list' -o -name '*.sources' \) 2>/dev/null)
[ ${#sources[@]} -gt 0 ] || { echo "Not tested: apt has no sources here." >&2; exit 77; }
# Copies only apt's settings for downloads. Hooks and the like do not belong on a fresh machine.
apt-config dump --format '%F "%v";%n' Acquire | grep -vE ' "";$|^Acquire::IndexTargets' > "$room/acquire" || true
for scheme in http https; do
    proxy="${scheme}_proxy"
    [ -z "${!proxy:-}" ] || echo "Acquire::$scheme::Proxy \"${!proxy}\";" >> "$room/acquire"
done
mmdebstrap_options=(--aptopt="$room/acquire")
mkdir "$room/apt"
for part in sources.list sources.list.d keyrings trusted.gpg trusted.gpg.d auth.conf auth.conf.d preferences.d; do
    [ ! -e "/etc/apt/$part" ] || cp -rL "/etc/apt/$part" "$room/apt/"
done
for key in $(grep -hoiE '(signed-by[:=] *)[^] ]+' "${sources[@]}" | sed -E 's/^[^:=]*[:=] *//; s/,/ /g'); do
    [ ! -f "$key" ] || mmdebstrap_options+=(--customize-hook="mkdir -p \"\$1$(dirname "$key")\"" \
        --customize-hook="copy-in $key $(dirname "$key")")
done

echo "A fresh Debian … ($SECONDS s)"
mmdebstrap --quiet --variant=minbase "${mmdebstrap_options[@]}" \
    --include=apt,dbus,init,libpam-systemd,mosquitto-clients,procps,systemd-sysv,udev \
    "$(. /etc/os-release; echo "$VERSION_CODENAME")" "$room/root" "${sources[@]}"
rm -rf "$room/root/etc/apt/sources.list" "$room/root/etc/apt/sources.list.d"
cp -r "$room/apt/." "$room/root/etc/apt/"
cp "$room/acquire" "$room/root/etc/apt/apt.conf.d/90-fetching"
# The same as in any installation.
printf '127.0.0.1 localhost car\n::1 localhost\n' > "$room/root/etc/hosts"
echo car > "$room/root/etc/hostname"
runs_after_boot "$room/root" /desk/inside.sh /desk

echo "Booting it … ($SECONDS s)"
touch "$room/desk/output"
timeout 600 systemd-nspawn --quiet --machine="$machine" --directory="$room/root" --bind="$room/desk:/desk" \
    --capability=CAP_NET_ADMIN,CAP_SYS_TIME --register=no --keep-unit --boot >"$room/console" 2>&1 </dev/null &
tail --follow --pid=$! "$room/desk/output"
if ! grep -q 'systemd.* running in system mode\|Welcome to' "$room/console"; then
    echo "Not tested: systemd-nspawn can't boot here:" >&2
    cat "$room/console" >&2
    exit 77
fi
status="$(cat "$room/desk/status" 2>/dev/null || echo "none: it did not come to its end")"
[ "$status" = 0 ] || { tail -40 "$room/console" >&2; echo "package test: $status" >&2; exit 1; }
