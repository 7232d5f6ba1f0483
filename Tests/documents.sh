#!/usr/bin/env bash
# Compares the documents with the tree: links, files that are named, and what they say of the program - HTTP paths, exit codes,
# commands, answers, events, states, settings, the machine's parts - and the tests that Tests/ACCEPTANCE.md names. The page's
# simulated flight is compared with the schemas.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'END_OF_PYTHON'
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def text(path: str) -> str:
    return pathlib.Path(path).read_text()


def files(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if pathlib.Path(name).is_file()]


faults = []


def compare(what: str, documented: set, known: set, atLeast: int) -> None:
    """Both sets must be the same. So few elements as `atLeast` forbids mean that this script reads them wrongly."""
    if len(known) < atLeast:
        faults.append(f"{what}: only {len(known)} were found in the sources")
    faults.extend(f"{what}: {one} is in no document" for one in sorted(known - documented))
    faults.extend(f"{what}: {one} is documented, and does not exist" for one in sorted(documented - known))


def section(page: str, begin: str, end: str = "\n\n") -> str:
    """The page's text from `begin` up to the next `end`."""
    _, found, rest = text(f"deploy/doc/{page}").partition(begin)
    if not found:
        faults.append(f"deploy/doc/{page}: has no {begin!r}")
    return begin + rest.partition(end)[0]


def words(table: str) -> set[str]:
    """What stands as code in the first column of a table."""
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")]
    return set(re.findall(r"`([^`]+)`", " ".join(cells)))


def cases(path: str, enum: str) -> set[str]:
    """The raw values of an enum of texts."""
    body = re.search(rf"enum {enum}: String.*?\n( *)\}}\n|$", text(path), re.DOTALL)[0]
    body = re.split(r"\n\s*(?:public |package )?(?:var|func|enum|init|static)\b", body)[0]
    lines = re.findall(r"^\s*case (.+)$", body, re.MULTILINE)
    pairs = re.findall(r'(\w+)(?: = "([^"]+)")?(?:, |$)', "\n".join(lines), re.MULTILINE)
    return {value or name for name, value in pairs}


# Links and names of files.

def anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)", "", title).lower()).replace(" ", "-")


pages = files("*.md")
anchors = {page: {anchor(title) for title in re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)} for page in pages}
links = 0
for page in pages:
    folder = pathlib.Path(page).parent
    for target in re.findall(r"\]\(([^)\s]+)\)", text(page)):
        if re.match(r"https?:", target):
            continue
        links += 1
        name, _, part = target.partition("#")
        path = (folder / name).resolve() if name else pathlib.Path(page).resolve()
        path = str(path.relative_to(pathlib.Path.cwd()))
        if not pathlib.Path(path).exists():
            faults.append(f"{page}: there is no {target}")
        elif part and part not in anchors.get(path, ()):
            faults.append(f"{page}: there is no heading {target}")
    for name in re.findall(r"`((?:Sources|Tests|deploy|Fixtures)/[\w./+*-]*)", text(page)):
        if not any(pathlib.Path().glob(name.rstrip("/."))):
            faults.append(f"{page}: there is no {name}")
names = {pathlib.Path(page).name for page in pages}
for path in files("Sources", "Tests", "deploy", ".github", "README.md"):
    # Tests/documents.sh names none; the release's notes are made by its workflow.
    if path in ("Tests/documents.sh",) or pathlib.Path(path).suffix in (".png", ".sqlite", ".raw", ".b64", ".json"):
        continue
    try:
        mentioned = set(re.findall(r"\b([\w-]+\.md)\b", text(path)))
    except UnicodeDecodeError:
        continue
    faults += [f"{path}: there is no {name}" for name in sorted(mentioned - names - {"changes.md"})]

# The index names each page once, so each is of one kind.
linked = re.findall(r"\]\(([\w-]+\.md)\)", text("deploy/doc/README.md"))
compare("page", set(linked), {pathlib.Path(page).name for page in files("deploy/doc/*.md")} - {"README.md"}, 20)
faults += [f"deploy/doc/README.md: links {name} twice" for name in set(linked) if linked.count(name) > 1]
if "**Read it first**" not in text("README.md"):
    faults.append("README.md: does not say to read bridge/state first")

# The page's server.

router = text("Sources/Dashboard/Server/RequestRouter.swift")
cells = [row.split("|")[1] for row in text("deploy/doc/http.md").splitlines() if row.startswith("| `/")]
# A path without its query; of /flights/<serial>.gpx only that it begins with /flights.
documented = {re.split(r"[?<]", path)[0].rstrip("/") for cell in cells for path in re.findall(r"`(/[^`]*)`", cell)}
served = {path for line in router.splitlines() if line.strip().startswith("case \"/")
          for path in re.findall(r'"(/[^"]+)"', line)}
# The router matches the parts of these paths.
served |= {"/car", "/drawings", "/flights", "/maps", "/profile"}
compare("HTTP", documented, served, 15)

# Commands, and the command line.

codes = set(re.findall(r"case \w+ = (\d+)", text("Sources/sondygo2mqtt/Commands/CommandFailure.swift"))) | {"0"}
compare("exit code", set(re.findall(r"^\| (\d+) \|", section("commands.md", "| exit code |"), re.MULTILINE)), codes, 5)
subcommands = re.search(r"subcommands: \[(.*?)\]", text("Sources/sondygo2mqtt/Commands/SondyGo2MQTT.swift"), re.DOTALL)[1]
subcommands = {re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower() for name in re.findall(r"(\w+)\.self", subcommands)}
table = words(section("commands.md", "## On the command line\n\n| command"))
compare("subcommand", {name.split()[0] for name in table}, subcommands, 10)
verbs = cases("Sources/Gateway/Commands/Verb.swift", "Verb")
table = section("commands.md", "| command | what |")
compare("command", set(re.findall(r'\{"(\w+)":', "".join(re.findall(r"`(\{[^`]*\})`", table)))) & verbs
        | (set(re.findall(r'[{,]"(type)"', table))), verbs, 12)
compare("error code", words(section("commands.md", "| error code |")),
        cases("Sources/GatewayReports/Values/CommandRefusal.swift", "Code"), 20)
compare("status of an answer", words(section("commands.md", "| status |")),
        cases("Sources/GatewayReports/Reports/CommandAnswer.swift", "Status"), 6)
question = cases("Sources/sondygo2mqtt/Setup/SetupQuestion.swift", "SetupQuestion")
flags = set(re.findall(r"(?<![\w-])--([\w-]+)", section("deployment.md", "## Setup", "\n## ")))
compare("flag of setup", flags - {"key", "no-questions"}, question, 10)

# What the gateway tells.

compare("event", words(section("events.md", "| event |")),
        cases("Sources/GatewayReports/Announcements/EventName.swift", "EventName"), 30)
compare("state", words(section("sources.md", "| `state` | when |")) - {"state"},
        cases("Sources/GatewayReports/Values/TelemetryState.swift", "TelemetryState"), 7)
compare("origin of the ground", words(section("landing.md", "| origin |")),
        cases("Sources/FlightMath/Landing/Ground.swift", "Origin"), 8)
types = set(re.findall(r'words: \["(\w+)"[^\]]*\], tuneCode:', text("Sources/ReceiverProtocol/SondeType+Table.swift")))
compare("sonde type", set(re.search(r"keeps the other\. ([A-Z\d ]+) \|", table)[1].split()), types, 6)
topics = {name for row in text("deploy/doc/topics.md").splitlines() if row.startswith("| `")
          for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
topics -= {name for name in topics if name.startswith("history/")} | {"bridge/state", "receiver/state"}
schemas = {path.name.removesuffix(".schema.json") for path in pathlib.Path("Fixtures/schemas").iterdir()} - {"homeassistant"}
compare("schema", {name.replace("/", "_") for name in topics}, schemas, 20)

# The configuration's keys. Swift tests look for each in the example and of feeds in their page; this one for those that are none.
keys, path = set(), []
for line in text("deploy/config.example.yaml").splitlines():
    entry = re.match(r"( *)(\w+):(.*)", line)
    if entry:
        path = path[:len(entry[1]) // 2] + [entry[2]]
        keys.add(".".join(path))
named = {key for line in text("deploy/doc/feeds.md").splitlines() if line.startswith("Keys:")
          for key in re.findall(r"`([^`]+)`", line)}
faults += [f"key: {key} is documented, and does not exist" for key in sorted(named - keys)]

# The machine's parts, in the order in which they follow the facts.
machine = text("Sources/Gateway/Machine/GatewayMachine.swift")
settle = re.search(r"func settle\(.*?\n    \}\n", machine, re.DOTALL)[0]
parts = []
declared = machine + text("Sources/Gateway/Machine/GatewayMachine+Parts.swift")
for name in re.findall(r"^\s*(?:\w+\.)?(\w+)\.follow\(", settle, re.MULTILINE):
    parts.append(re.search(rf"var {name}(?:: | = )(\w+)", declared)[1])
listed = re.findall(r"^\| `(\w+)` \|", section("design.md", "| part |"), re.MULTILINE)
if len(parts) < 10 or listed != parts:
    faults.append(f"parts: deploy/doc/design.md lists {listed}, and settle has {parts}")

# The functions of the ways through the code.
ways = re.findall(r"`(\w+)\.(\w+)`", section("design.md", "### Three ways through the code", "A `Report` is"))
swift = [text(name) for name in files("Sources/*.swift")]
for owner, function in ways:
    of = rf"^\s*(?:\w+ )*(?:struct|enum|class|extension) {owner}\b.*?^\s*(?:[\w()]+ )*func {function}\b"
    if not any(re.search(of, one, re.MULTILINE | re.DOTALL) for one in swift):
        faults.append(f"deploy/doc/design.md: there is no function {owner}.{function}")
if len(ways) < 25:
    faults.append(f"deploy/doc/design.md: only {len(ways)} functions were found in the ways through the code")

# The simulated flight of the page: each of its reports has the form that the gateway gives it today.

told = json.loads(gzip.decompress(pathlib.Path("deploy/page/demo/flight.json.gz").read_bytes()))
if told != sorted(told, key=lambda one: one[0]) or told[-1][0] < 200_000:
    faults.append("flight.json.gz: the reports are out of order, or end too early")
if "landed" not in [json.loads(report)["phase"] for _, topic, report in told if topic == "state"]:
    faults.append("flight.json.gz: the sonde does not land")
topics = {"bridge_info": "bridge/info", "receiver_state": "receiver/state"}
with tempfile.NamedTemporaryFile("w") as file:
    # The page's own: which topics there are, and the sign of life.
    for _, topic, report in told:
        if topic not in ("topics", "alive"):
            file.write(json.dumps({"topic": topics.get(topic, topic), "payload": report}) + "\n")
    file.flush()
    # jsonschema comes from Debian.
    checked = subprocess.run(
        ["/usr/bin/python3", "Tests/TestSupport/validate.py", "Fixtures/schemas", file.name], capture_output=True, text=True)
    found = [line for line in dict.fromkeys(checked.stdout.splitlines()) if not line.startswith("checked ")]
    if checked.returncode != 0:
        found.append(checked.stderr.strip().splitlines()[-1])
    faults += [f"flight.json.gz: {one}; deploy/page/demo/make.py records it anew" for one in found]

# deploy/demo.sh prints the events of a flight, and ends with the prediction's score.
lines = [f"sondygo/demo/{topic} {report}" for _, topic, report in told if topic in ("event", "landing", "position")]
watched = subprocess.run(["python3", "deploy/demo_watch.py"], input="\n".join(lines), capture_output=True, text=True).stdout
if "“The sonde has landed" not in watched or "“The prediction was" not in watched.splitlines()[-1]:
    faults.append("deploy/demo_watch.py: does not show the landing and, as the last line, the prediction's score")

# The tests that hold what must hold.

def tests() -> tuple[set[str], dict[str, int]]:
    """The names of all tests, and how many functions have each name."""
    paths = [path for path in sorted(pathlib.Path("Tests").rglob("*"))
             if path.suffix in (".swift", ".py") and "__pycache__" not in path.parts]
    scripts = collections.Counter(
        word for path in paths if path.suffix == ".py" for word in re.findall(r"\w+", path.read_text()))
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
            uses = collections.Counter(re.findall(r"\w+", source)) if path.suffix == ".swift" and not is_test else scripts
            if is_test or uses[function[1]] > 1:
                named.add(name)
            counted[name] = counted.get(name, 0) + 1
            is_test = False
    return named, counted


named, counted = tests()
# An item is a line with the behaviour; the indented lines below it have its tests and nothing else.
held, items = 0, []
for number, line in enumerate(text("Tests/ACCEPTANCE.md").split("\n"), 1):
    place = f"Tests/ACCEPTANCE.md:{number}"
    if len(line) > 200:
        faults.append(f"{place}: a line has more than 200 characters")
    if line.startswith("|"):
        faults.append(f"{place}: an item is a line that begins with '- ', and below it its tests, indented")
    if line.startswith("- "):
        items.append([place, 0])
    if not line.startswith("  "):
        continue
    if re.sub(r"`[^`]+`", "", line).strip(" ,"):
        faults.append(f"{place}: an indented line has tests and nothing else")
    for one in re.findall(r"`([^`]+)`", line):
        held += 1
        items[-1][1] += 1
        if pathlib.Path(one).is_file():
            continue
        if one not in named:
            faults.append(f"{place}: there is no test {one}")
        elif counted[one] > 1:
            faults.append(f"{place}: {one} is the name of {counted[one]} functions")
faults += [f"{place}: no test holds this" for place, count in items if count == 0]
if len(items) < 200:
    faults.append(f"Tests/ACCEPTANCE.md: only {len(items)} items were found")
print("\n".join(faults) or f"{len(pages)} documents say what is: {links} links, {held} tests of Tests/ACCEPTANCE.md")
sys.exit(bool(faults))
END_OF_PYTHON
