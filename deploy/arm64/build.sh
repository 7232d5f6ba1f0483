#!/usr/bin/env bash
# Builds the program for arm64 on this machine, with the compiler and the SDK of sdk.sh. Prints the program's path last.
# It takes about 15 minutes on two cores. It needs root, for a mount namespace and chroot.
#   deploy/arm64/build.sh       JOBS: how many compilers at once (default 2)
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "The build for arm64 needs root: sudo $0" >&2; exit 1; }
. deploy/install.sh
install_packages mmdebstrap dpkg-dev
deploy/arm64/sdk.sh
checkout="$PWD" compiler="$PWD/.build/arm64/compiler"

# Git's configuration may name local copies of the Swift packages. They have the same paths inside.
mkdir -p "$compiler/root"
: > "$compiler/root/.gitconfig"
copies=()
while read -r key value; do
    copy="${key#url.}" copy="${copy%.insteadof}"
    [ -d "$copy" ] || continue
    git config --file "$compiler/root/.gitconfig" --add "$key" "$value"
    copies+=("$copy")
done < <(git config --get-regexp '^url\..*\.insteadof$' || true)
git config --file "$compiler/root/.gitconfig" safe.directory '*'
cp /etc/resolv.conf "$compiler/etc/" 2> /dev/null || true

# Runs a command in the compiler's folder, with the checkout at /src. The mounts end with the command.
inside() { # command
    unshare -m --propagation private bash -c '
        compiler="$1" checkout="$2"; shift 2
        while [ "$1" != -- ]; do
            mkdir -p "$compiler$1"; mount --bind "$1" "$compiler$1"; shift
        done
        shift
        mkdir -p "$compiler/src"
        mount -t proc proc "$compiler/proc"; mount --rbind /dev "$compiler/dev"; mount --bind "$checkout" "$compiler/src"
        exec chroot "$compiler" env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"' \
        inside "$compiler" "$checkout" "${copies[@]}" -- "$@"
}
inside /usr/libexec/swift/bin/clang -O2 -std=gnu11 -fPIC --target=aarch64-unknown-linux-gnu \
    --sysroot=/src/.build/arm64/sdks/debian.artifactbundle/arm64/sysroot -c /src/.build/arm64/glibc.c \
    -o /src/.build/arm64/glibc.o
inside swift build --package-path /src --scratch-path /src/.build/arm64/build --swift-sdks-path /src/.build/arm64/sdks \
    --swift-sdk debian-arm64 -c release --product sondygo2mqtt --static-swift-stdlib -j "${JOBS:-2}"
echo "$checkout/.build/arm64/build/aarch64-unknown-linux-gnu/release/sondygo2mqtt"
