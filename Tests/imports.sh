#!/usr/bin/env bash
# Compares the targets with Tests/imports.txt: each target has a line there, and imports only the modules in its line. The
# table in deploy/doc/design.md lists the same targets in the same order.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'END'
import pathlib
import re
import sys

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)",
    re.MULTILINE)
lines = [line for line in pathlib.Path("Tests/imports.txt").read_text().splitlines() if not line.startswith("#")]
allowed = {line.partition(":")[0]: set(line.partition(":")[2].split()) for line in lines}
table = pathlib.Path("deploy/doc/design.md").read_text().partition("| target | contents |")[2].partition("\n\n")[0]
targets = {path.name for path in pathlib.Path("Sources").iterdir() if any(path.rglob("*.swift"))}
faults = [f"{target}: has no line in Tests/imports.txt" for target in sorted(targets - allowed.keys())]
faults += [f"{target}: has a line in Tests/imports.txt and no sources" for target in sorted(allowed.keys() - targets)]
for target in sorted(targets & allowed.keys()):
    used = set()
    for path in sorted(pathlib.Path("Sources", target).rglob("*.swift")):
        for module in IMPORT.findall(path.read_text()):
            used.add(module)
            if module not in allowed[target]:
                faults.append(f"{path}: may not import {module}")
    faults += [f"{target}: may import {module}, and does not" for module in sorted(allowed[target] - used)]
# Imports point down: a line names no target above it.
order = list(allowed)
for place, target in enumerate(order):
    faults += [f"{target}: imports {upper}, which stands above it" for upper in order[:place] if upper in allowed[target]]
if re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) != order:
    faults.append("deploy/doc/design.md: its table has other targets, or another order")
print("\n".join(faults) or f"{len(targets)} targets import what they may")
sys.exit(bool(faults))
END
