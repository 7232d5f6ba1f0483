#!/usr/bin/env bash
# Runs the README's first command on a machine that has only Swift and apt: in a clean clone, with the packages for
# building and testing removed. An overlay takes all changes, so this machine stays as it is.
#   Tests/fresh.sh              about ten minutes on 2 cores; needs root, and 4 GB of memory for the overlay
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "Not tested: an overlay needs root." >&2; exit 77; }

room="$(mktemp -d)"
finish() {
    umount -R "$room" 2>/dev/null || true
    rmdir "$room"
}
trap finish EXIT
mount -t tmpfs -o size=8G tmpfs "$room"
mkdir "$room/upper" "$room/work" "$room/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$room/upper,workdir=$room/work" "$room/root"
for folder in dev proc sys; do mount --rbind --make-rslave "/$folder" "$room/root/$folder"; done
mount -t tmpfs tmpfs "$room/root/tmp"
git clone -q . "$room/root/fresh"

# All packages that deploy/install.sh and Tests/install.sh name, except those that the toolchain needs.
packages="$(grep -ohE '^install_packages .*|^ +[a-z0-9 -]+$' deploy/install.sh Tests/install.sh deploy/demo.sh |
    sed 's/install_packages//' | tr -s ' ' '\n' | grep -E '^(lib(bluetooth|mosquitto|js)|mosquitto|gpsd|chromium)' | sort -u)"
cat > "$room/root/fresh/.try.sh" <<END
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get purge -y -qq $(tr '\n' ' ' <<< "$packages") > /dev/null 2>&1
! command -v mosquitto > /dev/null
! pkg-config --exists libmosquitto
cd /fresh
rm .try.sh
./deploy/demo.sh 1 > demo.log 2>&1 < /dev/null || { tail -40 demo.log; exit 1; }
grep -q 'landing' demo.log
grep -q 'sondygo/demo/position' demo.log
[ -z "\$(git status --porcelain --ignored=no | grep -v demo.log)" ]
tail -3 demo.log
END
begin=$SECONDS
chroot "$room/root" bash /fresh/.try.sh
echo "fresh: good, $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s"
