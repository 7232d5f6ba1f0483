#!/usr/bin/env bash
# Puts Debian's Swift compiler and an SDK for arm64 into .build/arm64, which keeps them (5 GB). Nothing foreign is
# installed and nothing runs emulated. mmdebstrap needs root.
#   deploy/arm64/sdk.sh         MIRROR names Debian's archive
# deploy/arm64/packages pins the packages. The archive moves on: a package with another version is named, and one whose
# hash differs at the same version stops the build. To pin the new ones: cp .build/arm64/packages deploy/arm64/packages
set -euo pipefail
cd "$(dirname "$0")/../.."
pins="$PWD/deploy/arm64/packages" glibc="$PWD/deploy/arm64/glibc-2.36.c" mirror="${MIRROR:-http://deb.debian.org/debian}"
mkdir -p .build/arm64
cd .build/arm64
work="$PWD" sdk="$PWD/sdks/debian.artifactbundle/arm64"
root="$sdk/sysroot"
# Bookworm's libraries make one package for Debian 12 and 13. Sid has Swift.
old=bookworm gcc=12
step() { printf '== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# apt with lists of its own, for arm64.
foreign() { # arguments of apt-get
    apt-get -qq -o Dir::Etc::SourceList="$work/apt/sources" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o Dir::State::status=/dev/null \
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
        -o Acquire::Languages=none "$@"
}
if [ ! -e packages.done ]; then
    step "arm64 libraries and Swift's runtime"
    rm -rf apt libraries runtime
    mkdir -p apt/lists/partial apt/cache/archives/partial libraries runtime
    printf "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror %s main\n" sid "$old" > apt/sources
    foreign update
    names=(libc6 libc6-dev linux-libc-dev libgcc-s1 libstdc++6 "libgcc-$gcc-dev" "libstdc++-$gcc-dev" libcrypt1
        libcrypt-dev libmosquitto1 libmosquitto-dev libbluetooth3 libbluetooth-dev libsqlite3-0 libsqlite3-dev libssl3
        libssl-dev zlib1g zlib1g-dev)
    (cd libraries && foreign download "${names[@]/%//$old}")
    (cd runtime && foreign download swiftlang/sid)
    touch packages.done
fi
if [ ! -e compiler.done ]; then
    step "Debian's Swift for this machine, in a folder"
    rm -rf --one-file-system compiler
    # apt's settings for downloads, like a proxy.
    apt-config dump --format '%F "%v";%n' Acquire | grep -vE ' "";$|^Acquire::IndexTargets' > acquire || true
    mmdebstrap --quiet --variant=apt --aptopt="$work/acquire" --aptopt='Acquire::Languages "none"' \
        --skip=cleanup/apt --include=swiftlang,libc6-dev,g++,git,ca-certificates sid compiler "deb $mirror sid main"
    touch compiler.done
fi
if [ ! -e packages ]; then
    {
        for deb in libraries/*.deb runtime/*.deb; do
            echo "$(dpkg-deb -W --showformat='${Package} ${Architecture} ${Version}' "$deb")" \
                "$(sha256sum < "$deb" | cut -d ' ' -f 1)"
        done
        chroot compiler apt-cache show swiftlang |
            awk '/^Version:/ { v = $2 } /^SHA256:/ { print "swiftlang", "amd64", v, $2; exit }'
    } | LC_ALL=C sort > packages.new
    mv packages.new packages
fi
if ! changed="$(diff "$pins" packages)"; then
    echo "These packages differ from the pinned ones (<):"
    echo "$changed"
    tampered="$(awk '{ name = $1 "=" $2 "=" $3 } NR == FNR { hash[name] = $4; next }
        name in hash && hash[name] != $4 { print name }' "$pins" packages)"
    [ -z "$tampered" ] || { echo "Refused, another hash at the same version: $tampered" >&2; exit 1; }
fi
if [ ! -e sdk.done ]; then
    step "the SDK"
    rm -rf sdks admin
    mkdir -p "$root/usr/lib" admin/info admin/updates
    ln -s usr/lib "$root/lib"
    echo 1 > admin/info/format
    for deb in libraries/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root"
        # dpkg-shlibdeps reads dpkg's record of a package, and an unpacked package has no record.
        name="$(dpkg-deb -f "$deb" Package)"
        { dpkg-deb -f "$deb" | sed 's/^Package: .*/&\nStatus: install ok installed/'; echo; } >> admin/status
        [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name="$name:arm64"
        for part in symbols shlibs; do
            dpkg-deb --ctrl-tarfile "$deb" | tar -x -O "./$part" > "admin/info/$name.$part" 2> /dev/null ||
                rm "admin/info/$name.$part"
        done
        dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's#^\.##; s#/$##; s#^$#/.#' > "admin/info/$name.list"
    done
    # Absolute links would lead out of the sysroot.
    find "$root" -type l -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
    done
    dpkg-deb --fsys-tarfile runtime/swiftlang_*.deb | tar -x --strip-components=5 -C "$root/usr/lib" --wildcards \
        './usr/libexec/swift/lib/swift_static' './usr/libexec/swift/lib/clang' './usr/libexec/swift/lib/swift/clang' \
        './usr/libexec/swift/lib/swift/shims' './usr/libexec/swift/lib/swift/linux' './usr/libexec/swift/lib/swift/apinotes'
    cat > sdks/debian.artifactbundle/info.json <<'END'
{"schemaVersion": "1.0", "artifacts": {"debian-arm64": {"type": "swiftSDK", "version": "1", "variants": [
  {"path": "arm64", "supportedTriples": ["x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"]}]}}}
END
    cat > "$sdk/swift-sdk.json" <<'END'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "sysroot",
  "swiftResourcesPath": "sysroot/usr/lib/swift", "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static",
  "toolsetPaths": ["toolset.json"]}}}
END
    # Debian's compiler has assertions on. One of them stops at a harmless double release, hence -sil-verify-none.
    cat > "$sdk/toolset.json" <<'END'
{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-Xfrontend", "-sil-verify-none"]},
 "linker": {"extraCLIOptions": ["/src/.build/arm64/glibc.o"]}}
END
    touch sdk.done
fi
cp "$glibc" glibc.c
