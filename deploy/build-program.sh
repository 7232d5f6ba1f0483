#!/usr/bin/env bash
# Builds the program that people install and prints its path as the last line: optimised, with its Swift runtime (Debian has
# none), and without a path of this folder, so that the same sources give the same program in each folder.
#   deploy/build-program.sh [PRODUCT]    another of the package's programs instead
set -euo pipefail
cd "$(dirname "$0")/.."
product="${1:-sondygo2mqtt}"
build=(swift build -c release --product "$product" --static-swift-stdlib --scratch-path .build-static
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." -Xcxx "-ffile-prefix-map=$PWD=.")
"${build[@]}"
echo "$("${build[@]}" --show-bin-path)/$product"
