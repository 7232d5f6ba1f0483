#!/usr/bin/env bash
# Builds the User-Mode Linux kernel that boot.sh prefers. It is faster than qemu, and its virtual time is exact.
# Debian's own user-mode-linux has no Bluetooth, so this one is built from Debian's kernel source package.
#
#   build-uml.sh
#
# Needs gcc, make, bison, flex, bc and xz, about seven minutes of one core and 1.5 GB of disk. The result in the cache
# is a program of 8 MB. LAB_SOURCE chooses the source package, as NAME=VERSION.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cache.sh"

if [ -x "$cache/linux.uml" ] && cmp -s "$here/guest/uml.config" "$cache/uml.config"; then
    step "ready: $cache/linux.uml"
    exit
fi

# Not 6.1.192: see build-kernel.sh.
wanted=${LAB_SOURCE:-linux-source-6.1=$(apt-cache madison linux-source-6.1 | awk '{ print $3 }' |
    grep -v '^6\.1\.192-' | sort -V | tail -1)}
package=${wanted%%=*}
work=$(mktemp -d "$cache/uml.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
step "source: $wanted"
apt-get -qq -o APT::Sandbox::User=root download "$wanted"
dpkg-deb --fsys-tarfile "$package"_*.deb | tar -xO "./usr/src/$package.tar.xz" | xz -dc |
    tar -x --exclude='*/arch/[!ux]*/*.[chS]' --exclude='*.dts*' --exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' \
        --exclude='*/drivers/net/*/*.[ch]' --exclude='*/sound/*.[ch]' --exclude='*/Documentation/*.rst' \
        --exclude='*/tools/*.[ch]'
rm -f "$package"_*.deb

step "configuration"
make=(make -s -C "$work/$package" ARCH=um)
KCONFIG_ALLCONFIG="$here/guest/uml.config" "${make[@]}" allnoconfig
missing=$(grep -o '^CONFIG_[A-Z0-9_]*' "$here/guest/uml.config" | while read -r name; do
    grep -q "^$name=" "$package/.config" || echo "$name"
done)
[ -z "$missing" ] || { echo "not to be had: $missing" >&2; exit 1; }

step "compilation"
nice "${make[@]}" -j"${LAB_JOBS:-$(nproc)}" linux
strip -o "$cache/linux.uml.new" "$package/linux"
cp "$here/guest/uml.config" "$cache/uml.config"
mv "$cache/linux.uml.new" "$cache/linux.uml"
step "ready: $cache/linux.uml, $(stat -c %s "$cache/linux.uml") bytes"
