#!/usr/bin/env bash
# The Debian package as a user meets it: installed in a fresh Debian that systemd has booted (systemd-nspawn), relaying,
# frozen, killed, upgraded, removed, purged.
#   Tests/package.sh            PROGRAM names a program that is built already
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
install_packages mmdebstrap systemd-container
[ "$(id -u)" -eq 0 ] || { echo "Not tested: systemd-nspawn needs root." >&2; exit 77; }

room="$(mktemp -d)"
machine="sondygo-package-$$"
finish() {
    machinectl --quiet terminate "$machine" 2>/dev/null || true
    rm -rf --one-file-system "$room"
}
trap finish EXIT

VERSION=0.0.1 PROGRAM="${PROGRAM:-}" deploy/build-deb.sh "$room/desk"
PROGRAM="${PROGRAM:-}" deploy/build-deb.sh "$room/desk"
cp Tests/PackageTest/inside.sh "$room/desk/"

echo "A fresh Debian …"
mmdebstrap --quiet --variant=minbase \
    --include=apt,dbus,init,libpam-systemd,mosquitto-clients,procps,systemd-sysv,udev \
    "$(. /etc/os-release; echo "$VERSION_CODENAME")" "$room/root" http://deb.debian.org/debian
# As any installation has them.
printf '127.0.0.1 localhost car\n::1 localhost\n' > "$room/root/etc/hosts"
echo car > "$room/root/etc/hostname"
cat > "$room/root/etc/systemd/system/package-test.service" <<'END'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c '/desk/inside.sh > /desk/output 2>&1; echo $? > /desk/status; systemctl poweroff --no-block'
[Install]
WantedBy=multi-user.target
END
ln -s /etc/systemd/system/package-test.service "$room/root/etc/systemd/system/multi-user.target.wants/"

echo "Booting it …"
touch "$room/desk/output"
timeout 600 systemd-nspawn --quiet --machine="$machine" --directory="$room/root" --bind="$room/desk:/desk" \
    --capability=CAP_NET_ADMIN --register=no --keep-unit --boot >"$room/console" 2>&1 </dev/null &
tail --follow --pid=$! "$room/desk/output"
if ! grep -q 'systemd.* running in system mode\|Welcome to' "$room/console"; then
    echo "Not tested: systemd-nspawn can't boot here:" >&2
    cat "$room/console" >&2
    exit 77
fi
status="$(cat "$room/desk/status" 2>/dev/null || echo "none: it did not come to its end")"
[ "$status" = 0 ] || { tail -40 "$room/console" >&2; echo "package test: $status" >&2; exit 1; }
