#!/usr/bin/env bash
# Walks through the first minutes with the package in a fresh Debian 12 and 13, each booted by systemd (systemd-nspawn)
# with a tablet on its network, and prints what one sees.
#   Tests/first-minutes.sh PACKAGE.deb      needs root; MIRROR names Debian's archive
set -euo pipefail
package="$(realpath "$1")"
cd "$(dirname "$0")/.."
. Tests/install.sh
. Tests/PackageTest/after-boot.sh
install_packages curl iproute2 mmdebstrap systemd-container
[ "$(id -u)" -eq 0 ] || { echo "Not tested: systemd-nspawn needs root." >&2; exit 77; }
mirror="${MIRROR:-http://deb.debian.org/debian}"
room="$(mktemp -d)"
finish() {
    # timeout passes the signal on to the machine and to its tablet.
    [ -z "$(jobs -p)" ] || { kill $(jobs -p) 2> /dev/null || true; wait; }
    rm -rf --one-file-system "$room"
}
trap finish EXIT
apt-config dump --format '%F "%v";%n' Acquire | grep -vE ' "";$|^Acquire::IndexTargets' > "$room/acquire" || true

for suite in bookworm trixie; do
    root="$room/$suite"
    mmdebstrap --quiet --variant=minbase --aptopt="$room/acquire" --aptopt='Acquire::Languages "none"' \
        --include=ca-certificates,dbus,init,libpam-systemd,procps,sudo,systemd-sysv,udev \
        "$suite" "$root" "deb $mirror $suite main"
    cp "$room/acquire" "$root/etc/apt/apt.conf.d/90-fetching"
    cp /etc/resolv.conf "$root/etc/"
    chroot "$root" useradd -m -s /bin/bash pi
    echo 'pi ALL=(ALL) NOPASSWD: ALL' > "$root/etc/sudoers.d/pi"
    cp "$package" "$root/home/pi/"
    # The booted machine has a network of its own, without the archive.
    chroot "$root" bash -c 'cd /home/pi && apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --download-only ./*.deb' > "$room/log" 2>&1 ||
        { cat "$room/log"; exit 1; }
    printf '127.0.0.1 localhost\n127.0.1.1 car\n::1 localhost\n' > "$root/etc/hosts"
    echo car > "$root/etc/hostname"
    cp Tests/PackageTest/first-minutes.sh "$root/usr/local/sbin/"
    runs_after_boot "$root" /usr/local/sbin/first-minutes.sh ""
    touch "$root/output"
    # The box is 10.77.0.1. The tablet, in another network namespace, fetches what the box asks it to fetch.
    timeout 600 unshare -n bash -euc '
        root="$1"
        ip link set lo up
        unshare -n sleep 600 & tablet=$!
        trap "kill $tablet" EXIT
        until [ "$(readlink /proc/$tablet/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
        ip link add eth0 type veth peer name tablet
        ip link set tablet netns $tablet
        ip address add 10.77.0.1/24 dev eth0
        ip link set eth0 up
        nsenter -t $tablet -n sh -c "ip address add 10.77.0.2/24 dev tablet && ip link set tablet up"
        (while sleep 0.2; do
            [ -e "$root/ask" ] || continue
            nsenter -t $tablet -n curl -s -o "$root/body" -w "%{http_code}" --max-time 5 \
                --resolve car.local:8080:10.77.0.1 "$(cat "$root/ask")" > "$root/answer.new" || true
            rm "$root/ask"
            mv "$root/answer.new" "$root/answer"
        done) & 
        asker=$!
        trap "kill $tablet $asker" EXIT
        systemd-nspawn --quiet --machine="first-minutes-$$" --directory="$root" --capability=CAP_NET_ADMIN,CAP_SYS_TIME \
            --register=no --keep-unit --boot' boot "$root" > "$room/console" 2>&1 < /dev/null &
    tail --follow --pid=$! "$root/output"
    status="$(cat "$root/status" 2> /dev/null || echo "none: it did not come to its end")"
    [ "$status" = 0 ] || { tail -30 "$room/console" >&2; echo "first minutes in $suite: $status" >&2; exit 1; }
    rm -rf --one-file-system "$root"
done
echo "first minutes: good"
