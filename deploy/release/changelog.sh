#!/usr/bin/env bash
# Prints the subjects of the commits since the last tag before TAG, newest first.
#   deploy/release/changelog.sh TAG
set -euo pipefail
cd "$(dirname "$0")/../.."
last="$(git describe --tags --abbrev=0 "$1^" 2> /dev/null || true)"
echo "Changes${last:+ since $last}:"
echo
git log --no-merges --format='- %s' "${last:+$last..}$1"
