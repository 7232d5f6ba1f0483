#!/usr/bin/env bash
# Checks that a tag names the program's version: v1.0.0 for 1.0.0.
#   deploy/release/check-tag.sh TAG
set -euo pipefail
cd "$(dirname "$0")/../.."
version="$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/sondygo2mqtt/Version.swift)"
[ "$1" = "v$version" ] || { echo "The tag is $1 and the program is $version; the tag must be v$version." >&2; exit 1; }
