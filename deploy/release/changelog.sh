#!/usr/bin/env bash
# Prints the changelog's section of a version. Fails if there is none, or an empty one.
#   deploy/release/changelog.sh TAG
set -euo pipefail
cd "$(dirname "$0")/../.."
section="$(awk -v version="${1#v}" '/^## /{inside = $2 == version; next} inside' deploy/doc/changelog.md)"
[ -n "${section//[[:space:]]/}" ] || { echo "deploy/doc/changelog.md has no section for ${1#v}." >&2; exit 1; }
sed '/./,$!d' <<< "$section"
