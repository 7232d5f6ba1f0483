#!/usr/bin/env bash
# Compares the targets with the table in deploy/doc/design.md: each target has a row, and imports only the modules in
# its row.
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
rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", pathlib.Path("deploy/doc/design.md").read_text(), re.MULTILINE)
allowed = {target: set(re.findall(r"`(\w+)`", cell)) for target, cell in rows}
targets = {path.name for path in pathlib.Path("Sources").iterdir() if any(path.rglob("*.swift"))}
faults = [f"{target}: has no row in deploy/doc/design.md" for target in sorted(targets - allowed.keys())]
faults += [f"{target}: has a row in deploy/doc/design.md and no sources" for target in sorted(allowed.keys() - targets)]
for target in sorted(targets & allowed.keys()):
    used = set()
    for path in sorted(pathlib.Path("Sources", target).rglob("*.swift")):
        for module in IMPORT.findall(path.read_text()):
            used.add(module)
            if module not in allowed[target]:
                faults.append(f"{path}: may not import {module}")
    faults += [f"{target}: may import {module}, and does not" for module in sorted(allowed[target] - used)]
# Imports point down: a row names no target above it.
order = [target for target, _ in rows]
for place, target in enumerate(order):
    faults += [f"{target}: imports {upper}, which stands above it" for upper in order[:place] if upper in allowed[target]]
print("\n".join(faults) or f"{len(targets)} targets import what they may")
sys.exit(bool(faults))
END
