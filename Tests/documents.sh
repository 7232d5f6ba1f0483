#!/usr/bin/env bash
# Compares what the documents say of the program with its sources: the page's HTTP paths, the exit codes, and the tests in
# Tests/ACCEPTANCE.md.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'END_OF_PYTHON'
import pathlib
import re
import sys


def text(path: str) -> str:
    return pathlib.Path(path).read_text()


def difference(what: str, documented: set, served: set) -> list[str]:
    return [f"{what}: {one} is in no document" for one in sorted(served - documented)] + [
        f"{what}: {one} is documented, and the program lacks it" for one in sorted(documented - served)]


router = text("Sources/Dashboard/Server/RequestRouter.swift")
table = text("deploy/doc/page.md").split("## For programs")[1]
cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `/")]
# A path without its query; of /flights/<serial>.gpx only that it begins with /flights.
documented = {re.split(r"[?<]", path)[0].rstrip("/") for cell in cells for path in re.findall(r"`(/[^`]*)`", cell)}
served = {path for line in router.splitlines() if line.strip().startswith("case \"/")
          for path in re.findall(r'"(/[^"]+)"', line)}
# The router matches the parts of these paths.
served |= {"/drawings", "/flights", "/maps", "/profile"}
faults = difference("HTTP", documented, served)

codes = set(re.findall(r"case \w+ = (\d+)", text("Sources/sondygo2mqtt/Commands/CommandFailure.swift"))) | {"0"}
sentence = re.search(r"Exit codes:(.*?)\n\n", text("deploy/doc/commands.md"), re.DOTALL).group(1)
faults += difference("exit code", set(re.findall(r"(?:^|;)\s*(\d+) ", sentence)), codes)


def tests() -> tuple[set[str], dict[str, int]]:
    """The names of all tests, and how many functions have each name."""
    paths = [path for path in sorted(pathlib.Path("Tests").rglob("*"))
             if path.suffix in (".swift", ".py") and "__pycache__" not in path.parts]
    scripts = "\n".join(path.read_text() for path in paths if path.suffix == ".py")
    named, counted = set(), {}
    for path in paths:
        source, suite, is_test = path.read_text(), path.stem, False
        for line in source.split("\n"):
            if path.suffix == ".swift":
                begin = re.match(r"(?:@\w+(?:\(.*?\))? )*(?:\w+ )*(?:struct|class|extension|enum|actor) (\w+)", line)
                suite = begin[1] if begin else suite
                is_test = is_test or "@Test" in line
                function = re.search(r"\bfunc (\w+)[(<]", line)
            else:
                is_test = is_test or re.match(r"\s*@\w*test", line) is not None
                function = re.match(r"\s*(?:async )?def (\w+)\(", line)
            if not function:
                continue
            name = f"{suite}/{function[1]}"
            # Another function must be called: a step of a fleet's run, a fuzzer's rule.
            others = source if path.suffix == ".swift" else scripts
            if is_test or len(re.findall(rf"\b{function[1]}\b", others)) > 1:
                named.add(name)
            counted[name] = counted.get(name, 0) + 1
            is_test = False
    return named, counted


named, counted = tests()
rows, case = [], ""
for number, line in enumerate(text("Tests/ACCEPTANCE.md").split("\n"), 1):
    if not line.startswith("|") or line.startswith(("| case |", "| --- |")):
        continue
    place = f"Tests/ACCEPTANCE.md:{number}"
    if len(line) > 200:
        faults.append(f"{place}: a row has more than 200 characters")
    cells = re.split(r"\s*\|\s*", line)[1:-1]
    if len(cells) != 3:
        faults.append(f"{place}: a row has three cells")
        continue
    held = re.findall(r"`([^`]+)`", cells[2])
    if not held:
        faults.append(f"{place}: no test holds this")
    for one in held:
        if pathlib.Path(one).is_file():
            continue
        if one not in named:
            faults.append(f"{place}: there is no test {one}")
        elif counted[one] > 1:
            faults.append(f"{place}: {one} is the name of {counted[one]} functions")
    rows += held
print("\n".join(faults) or f"{len(rows)} tests hold Tests/ACCEPTANCE.md; {len(served)} paths and {len(codes)} exit codes are documented as they are")
sys.exit(bool(faults))
END_OF_PYTHON
