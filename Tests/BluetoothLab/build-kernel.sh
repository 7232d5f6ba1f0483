#!/usr/bin/env bash
# Fetches the parts that boot.sh boots: an unmodified Debian kernel, and a small initial ramdisk with the Bluetooth
# modules.
#
#   build-kernel.sh
#
# All parts come from the Debian archive through apt; this machine gets no new packages. The parts stay in the cache
# (cache.sh), so later calls return at once. LAB_KERNEL names another kernel package than the newest. Needs kmod, cpio
# and python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cache.sh"

# The ramdisk's modules: enough to mount a root file system over 9p, and Bluetooth.
modules=(virtio_pci 9pnet_virtio 9p overlay bluetooth hci_vhci uhid uinput ecb cmac af_alg algif_hash algif_skcipher)

apt_get() { apt-get -qq -o APT::Sandbox::User=root "$@"; }

# In 6.1.192 a failed LE connection crashes the kernel (list_del in hci_chan_del); 6.1.190 and earlier are fine.
newest_kernel() {
    apt-cache search --names-only '^linux-image-[0-9.]+-[0-9]+-amd64$' | cut -d' ' -f1 | sort -rV |
        while read -r name; do
            case $(apt-cache show --no-all-versions "$name" | sed -n 's/^Version: //p') in
            6.1.192-*) ;;
            *) echo "$name"; break ;;
            esac
        done
}

if [ ! -s "$cache/vmlinux" ]; then
    kernel=${LAB_KERNEL:-$(newest_kernel)}
    [ -n "$kernel" ] || { apt-get -qq update && kernel=$(newest_kernel); }
    [ -n "$kernel" ] || { echo "no kernel in the lists of apt" >&2; exit 1; }
    step "kernel: $kernel"
    work=$(mktemp -d "$cache/kernel.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    mkdir "$work/usr"
    ln -s usr/lib usr/bin "$work" # older packages unpack into /lib and /bin
    mkdir "$work/usr"/{lib,bin}
    (cd "$work" && apt_get download "$kernel" busybox-static &&
        for package in *.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink; done)
    release=$(ls "$work/lib/modules")
    find "$work/lib/modules" -name '*.ko.xz' -exec xz -d {} +
    depmod -b "$work" "$release"

    tree=$cache/ramdisk
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,proc,sys,dev,new,"lib/modules/$release"}
    cp "$work/bin/busybox" "$tree/bin/"
    for module in "${modules[@]}"; do
        modprobe -d "$work" -S "$release" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
        install -D -m644 "$file" "$tree/${file#"$work/"}"
    done
    cp "$work/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$tree/lib/modules/$release/"
    depmod -b "$tree" "$release"

    # Decompress the kernel here, because software emulation needs seconds for it. This works for xz, as in Debian 12;
    # qemu boots a kernel in another format compressed.
    python3 - "$work/boot/vmlinuz-$release" "$cache/vmlinux.new" <<'PY'
import lzma, sys
image = open(sys.argv[1], 'rb').read()
at = image.find(b'\xfd7zXZ\x00')
open(sys.argv[2], 'wb').write(lzma.LZMADecompressor().decompress(image[at:]) if at >= 0 else image)
PY
    rm -f "$cache"/initrd-*.cpio
    mv "$cache/vmlinux.new" "$cache/vmlinux"
fi

if [ ! -s "$initrd" ]; then
    install -m755 "$here/guest/init" "$cache/ramdisk/init"
    (cd "$cache/ramdisk" && find . | cpio --quiet -o -H newc) > "$initrd.$$"
    mv "$initrd.$$" "$initrd"
fi
