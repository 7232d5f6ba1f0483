#!/usr/bin/env bash
# Runs the commands of the README's section "Try it" on a machine that has only Swift and apt: in a clean clone, with
# the packages for building and testing removed. An overlay takes all changes, so this machine stays as it is.
#   Tests/fresh.sh              both commands: 50 minutes on 2 cores; needs root, and 12 GB of memory for the overlay
#   Tests/fresh.sh 1            only the first command: ten minutes, and 4 GB
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "Not tested: an overlay needs root." >&2; exit 77; }
mapfile -t commands < <(sed -n '/^## Try it/,/^## /p' README.md | sed -n '/^```sh/,/^```/p' | grep '^\./' | head -n "${1:-9}")
[ ${#commands[@]} -gt 0 ] || { echo "The README's section \"Try it\" has no commands." >&2; exit 1; }

room="$(mktemp -d)"
finish() {
    umount -R "$room" 2>/dev/null || umount -R --lazy "$room"
    rmdir "$room"
}
trap finish EXIT
mount -t tmpfs -o size=14G tmpfs "$room"
mkdir "$room/upper" "$room/work" "$room/root"
# xino: a file keeps its number when it is first written to, which git's check of its hard links needs.
mount -t overlay overlay -o "lowerdir=/,upperdir=$room/upper,workdir=$room/work,xino=on" "$room/root"
for folder in dev proc sys; do mount --rbind --make-rslave "/$folder" "$room/root/$folder"; done
# What the commands keep for a moment, such as a whole Debian for the package's test, must not lie on an overlay.
mount -t tmpfs -o size=8G tmpfs "$room/root/tmp"
git clone -q . "$room/root/fresh"

# All packages that deploy/install.sh and Tests/install.sh name, except those that the toolchain needs.
packages="$(grep -ohE '^install_packages .*|^ +[a-z0-9 -]+$' deploy/install.sh Tests/install.sh deploy/demo.sh |
    sed 's/install_packages//' | tr -s ' ' '\n' | grep -E '^(lib(bluetooth|mosquitto|js)|mosquitto|gpsd|chromium)' | sort -u)"
# apt knows no package that it may remove on a machine that never had any, and dpkg-query fails for each unknown name.
installed="$({ dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2> /dev/null || true; } | sed -n 's/^installed //p')"
[ -z "$installed" ] ||
    chroot "$room/root" env DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq $installed > /dev/null 2>&1
if chroot "$room/root" sh -c 'command -v mosquitto || pkg-config --exists libmosquitto'; then
    echo "The packages could not be removed." >&2
    exit 1
fi

inside() { # command
    chroot "$room/root" env DEBIAN_FRONTEND=noninteractive bash -c "cd /fresh && exec $1" < /dev/null 2>&1
}
begin=$SECONDS
for command in "${commands[@]}"; do
    echo "== $command"
    inside "$command" > "$room/log" || { tail -60 "$room/log"; exit 1; }
    tail -3 "$room/log"
    if [ "$command" = ./deploy/demo.sh ]; then
        grep -q 'landing' "$room/log"
        grep -q 'sondygo/demo/position' "$room/log"
    fi
    [ -z "$(inside 'git status --porcelain')" ] || { echo "$command leaves files in the clone."; exit 1; }
    echo "good after $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s"
done
