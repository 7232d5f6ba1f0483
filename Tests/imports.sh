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


def walls(path: str) -> dict[str, set[str]]:
    """What stands in each line after the colon."""
    lines = [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("#")]
    return {line.partition(":")[0]: set(line.partition(":")[2].split()) for line in lines}


def listed(first: str) -> list[str]:
    """The first column of the table in design.md that begins so."""
    table = pathlib.Path("deploy/doc/design.md").read_text().partition(first)[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


allowed = walls("Tests/imports.txt")
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
if listed("| target | contents |") != order:
    faults.append("deploy/doc/design.md: its table has other targets, or another order")
# The rooms of Gateway. A type belongs to the room that alone declares it outside other types.
TYPE = r"(?:struct|enum|class|protocol|actor|typealias) (\w+)"
rooms = walls("Tests/rooms.txt")
code = {path: re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', "", path.read_text())
        for path in sorted(pathlib.Path("Sources/Gateway").rglob("*.swift"))}
homes: dict[str, set[str]] = {}
for path, text in code.items():
    for name in re.findall(rf"^(?:(?:public|package|final|indirect) )*{TYPE}", text, re.MULTILINE):
        homes.setdefault(name, set()).add(path.parts[2])
named: dict[str, set[str]] = {path.parts[2]: set() for path in code}
for path, text in code.items():
    room = path.parts[2]
    for name in sorted(set(re.findall(r"(?<![.\w])[A-Z]\w+", text)) - set(re.findall(TYPE, text))):
        home = homes.get(name, {room})
        if len(home) == 1 and room not in home:
            named[room] |= home
            if not home <= rooms.get(room, set()):
                faults.append(f"{path}: may not name {name} of the room {min(home)}")
faults += [f"{room}: may name types of {other}, and does not" for room in sorted(named)
           for other in sorted(rooms.get(room, set()) - named[room])]
if rooms.keys() != named.keys() or listed("| room | contents |") != list(rooms):
    faults.append("Tests/rooms.txt: it lists other rooms than Sources/Gateway has, or than deploy/doc/design.md")
print("\n".join(faults) or f"{len(targets)} targets import what they may; {len(rooms)} rooms name what they may")
sys.exit(bool(faults))
END
