# The folder for built kernels. It is outside the checkout, so that a fresh clone need not build them again. Other
# scripts source this file, with $here set to the lab's folder.
cache=${LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt/lab}
mkdir -p "$cache"
# Checkouts of different age share the cache, so each version of guest/init has its own ramdisk.
initrd=$cache/initrd-$(sha256sum "$here/guest/init" | cut -c1-12).cpio
step() { printf '%(%H:%M:%S)T  %s\n' -1 "$*"; }
