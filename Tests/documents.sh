#!/usr/bin/env bash
# Compares what the documents say of the program with its sources: the page's HTTP paths, and the exit codes.
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
print("\n".join(faults) or f"{len(served)} paths and {len(codes)} exit codes are documented as they are")
sys.exit(bool(faults))
END_OF_PYTHON
