#!/usr/bin/env bash
# Names the kinds of faults by which tests fail by chance or take longer than they need, in the tests' sources.
#   Tests/kinds.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/steps.sh
python3 - "$alone" <<'END'
import pathlib
import re
import sys

# The tests that run alone (Tests/steps.sh): a promised time may be measured there.
ALONE = re.compile(sys.argv[1])
ROOT = pathlib.Path("Tests")
faults = []


def fault(path, line, text):
    faults.append(f"{path}:{line}: {text}")


def sources(*suffixes):
    for path in sorted(ROOT.rglob("*")):
        if path.suffix in suffixes and "__pycache__" not in path.parts:
            yield path, path.read_text().split("\n")


def functions(lines, keyword):
    """Name, number of the first line, and text of each function; by its indentation."""
    for number, line in enumerate(lines):
        begin = re.match(rf"(\s*)(?:@.*?\) )?(?:[\w@]+ )*{keyword} (\w+)\(", line)
        if begin:
            end = number + 1
            while end < len(lines) and not re.match(rf"{begin[1]}\S", lines[end]):
                end += 1
            yield begin[2], number + 1, "\n".join(lines[number:end + 1])


def seconds(text):
    number = re.search(r"\.(milliseconds|seconds)\((\d+(?:\.\d+)?)\)|< *(\d+(?:\.\d+)?)", text)
    if not number:
        return None
    return float(number[3]) if number[3] else float(number[2]) / (1000 if number[1] == "milliseconds" else 1)


# 1. An upper limit on real time below 20 s, in a suite that runs beside others.
TIME = r"(?:\.now - \w+|timeIntervalSince\([\w.]+\)|duration\(to: \.now\)|\b(?:took|elapsed|waits?|delay\w*)\b[^<]*)"
for path, lines in sources(".swift"):
    if path.parts[1] not in ("AdapterTests", "ProgramTests", "FeedsTests", "TestSupport"):
        continue
    test = ""
    for number, line in enumerate(lines, 1):
        named = re.search(r"func (\w+)\(", line)
        test = named[1] if named else test
        if ALONE.search(f"{path.parts[1]}.{path.stem}/{test}"):
            continue
        limit = re.search(TIME + r"\)?\s*<=?\s*.*", line)
        if limit and "require" not in line and "while" not in line and (seconds(limit[0]) or 20) < 20:
            fault(path, number, "an upper limit on real time below 20 s; run the test alone, count, or use a test clock")
        limit = re.search(r"\bwithin(?:: | seconds: Double = )(\d+(?:\.\d+)?)\b", line)
        proves = "TimedOut.self" in "".join(lines[max(0, number - 3):number]) or "try?" in line
        # A machine under load needed more than 20 s for a condition that comes at once elsewhere.
        if limit and float(limit[1]) < 60 and not proves:
            fault(path, number, "a deadline below usualDeadline (Tests/TestSupport/Waiting.swift)")
for path, lines in sources(".py"):
    if path.parts[1] not in ("Browser", "Fleet", "fleet.py"):
        continue
    for number, line in enumerate(lines, 1):
        limit = re.search(r"\b(?:took|elapsed|time\.monotonic\(\) - \w+)\)? *<=? *(\d+(?:\.\d+)?)\b", line)
        if limit and float(limit[1]) < 20:
            fault(path, number, "an upper limit on real time below 20 s; count, or look for the sign")
        limit = re.search(r"\bwithin=(\d+(?:\.\d+)?)\b|\bwait_until\(.*, (\d+)\)$", line)
        if limit and float(limit[1] or limit[2]) < 60:
            fault(path, number, "a deadline below a minute")

# 2. A draw without a seed.
UNSEEDED = {
    ".swift": r"SystemRandomNumberGenerator|\.random\((?!.*using:)|shuffled\(\)|randomElement\(\)",
    ".py": r"\brandom\.(?!Random\()\w+\(|os\.urandom|secrets\.", ".js": r"Math\.random\(", ".sh": r"\$RANDOM|\bshuf\b",
}
for path, lines in sources(*UNSEEDED):
    if path.name in ("run.sh", "kinds.sh"):  # run.sh draws the seed.
        continue
    for number, line in enumerate(lines, 1):
        if re.search(UNSEEDED[path.suffix], line):
            fault(path, number, "a draw without a seed; use SeededRandom or random.Random")

# 3. A port that a module other than Broker.swift and ports.py draws.
PORT = {".swift": r"func \w*[pP]ort\w*\(.*\) -> (?:Int|UInt16)\b", ".py": r"def \w*free_?port", ".sh": r"\$\$ *%"}
for path, lines in sources(*PORT):
    if path.name in ("Broker.swift", "ports.py", "kinds.sh"):
        continue
    for number, line in enumerate(lines, 1):
        if re.search(PORT[path.suffix], line):
            fault(path, number, "draws a port; Broker.freePort and Tests/ports.py do that")

# 4. A helper that ends something and does not wait for the sign of its end.
WAITS = r"exitCode|eventually|\bawait\b|wait\(|\.first\(|join\(|ended\(|communicate\(|self\.kill\("
for keyword, suffix in (("func", ".swift"), ("def", ".py")):
    for path, lines in sources(suffix):
        if "Support" not in path.parts[1] and path.parts[1] not in ("AdapterTests", "ProgramTests", "Browser", "FeedsTests"):
            continue
        for name, number, text in functions(lines, keyword):
            if re.match(r"(?:stop|kill|restart|terminate)(?![a-z])", name) and re.search(r"kill|SIG|terminate", text.split("\n", 1)[-1] + text) \
                    and not re.search(WAITS, text) and not re.search(r"\(_ signal: Int32\)", text):
                fault(path, number, f"{name} does not wait for the sign of the end")

# 5. Memory of this process, which other tests share. A child's, or an exit test's, is its own.
MEMORY = r"/proc/self/(?:status|statm|smaps)|ProcessMemory\.current"
for path, lines in sources(".swift"):
    # Figures and benchmarks are programs of their own.
    if not path.parts[1].endswith("Tests"):
        continue
    text = "\n".join(lines)
    if path.name != "ProcessMemoryTests.swift" and re.search(MEMORY + r"|\bgetrusage\((?!resource\.RUSAGE_CHILDREN)", text) and "processExitsWith" not in text:
        number = next(n for n, line in enumerate(lines, 1) if re.search(MEMORY + r"|getrusage\(", line))
        fault(path, number, "measures the memory of the tests' own process; measure a child's")

# 6. A descriptor that a child of the tests inherits, which then holds the connection or the mount.
OPENS = r"(?<!os\.)\bopen\([^)]*\bO_[A-Z]|\bsocket(?:pair)?\(AF_|\b(?:Foundation|Glibc)\.accept\(|\b(?:openpty|pipe)\(&|\bmkstemp\("
for path, lines in sources(".swift", ".c"):
    for number, line in enumerate(lines, 1):
        near = "\n".join(lines[number - 1:number + 8])
        if re.search(OPENS, line) and not re.search(r"CLOEXEC|keepFromChildren", near):
            fault(path, number, "opens a descriptor that children inherit; use privateSocket, O_CLOEXEC or keepFromChildren")

# 7. A try that is repeated until it passes, other than by bestOfThree.
for path, lines in sources(".swift", ".sh"):
    if path.name in ("BestOfThree.swift", "kinds.sh"):
        continue
    for number, line in enumerate(lines, 1):
        loops = re.search(r"\bfor (?:attempt|retry|trial|try)\b", line)
        if loops and re.search(r"\bwhere\b|\bcatch\b|try\?|\bbreak\b|\breturn\b", "\n".join(lines[number - 1:number + 9])) \
                or re.search(r"--retry|[uU]ntilItPasses", line):
            fault(path, number, "repeats a try; only bestOfThree may, around a measurement")

# 8. A pause in place of the sign that is waited for. Polling has a loop around it; what a pause measures, a comment above says.
PAUSE = {".swift": r"\b(?:Task\.sleep\(for: \.|usleep\(|Thread\.sleep\()", ".py": r"\btime\.sleep\([\d.]+\)"}
for path, lines in sources(*PAUSE):
    if path.parts[1] not in ("AdapterTests", "ProgramTests", "FeedsTests", "Browser", "Fleet", "fleet.py"):
        continue
    for keyword in ("func", "def"):
        for name, number, text in functions(lines, keyword):
            body = text.split("\n")
            for inner, line in enumerate(body):
                around, depth = [line], len(line) - len(line.lstrip())
                for one in reversed(body[1:inner]):
                    if one.strip() and len(one) - len(one.lstrip()) < depth:
                        around.append(one)
                        depth = len(one) - len(one.lstrip())
                loops = any(re.search(r"^\s*(?:for|repeat)\b|\bwhile\b|\beventually\(", one) for one in around)
                said = any(re.search(r"(?://|#) ", one) for one in body[max(0, inner - 2):inner + 1])
                if re.search(PAUSE[path.suffix], line) and not loops and not said and "3600" not in line:
                    fault(path, number + inner, f"{name} pauses in place of waiting for a sign; say above what the pause measures")

# 9. A process that lives on when the run is ended from outside.
for path, lines in sources(".swift"):
    for number, line in enumerate(lines, 1):
        if "ChildProcess(" in line and path.name != "Child.swift" and "wait()" not in "\n".join(lines[number - 1:number + 9]):
            fault(path, number, "starts a program that outlives the tests; use Child")
for path, lines in sources(".sh"):
    if path.parts[1] == "PackageTest":  # These run in a machine, which ends.
        continue
    text = "\n".join(lines)
    background = next((number for number, line in enumerate(lines, 1) if re.search(r"[^&]& *$", line)), None)
    if background and not re.search(r"^enclosed |^\s*trap \w+ EXIT|pdeathsig", text, re.MULTILINE):
        fault(path, background, "starts a process that outlives the script; use enclosed (Tests/steps.sh) or a trap on EXIT")

# 10. A build with options of its own, which throws away what the others have built.
BUILDS = ("deploy/build.sh", "deploy/build-program.sh", "deploy/arm64/build.sh", "Tests/fuzz.sh", "Tests/kinds.sh")
for path in sorted([*ROOT.rglob("*.sh"), *pathlib.Path("deploy").rglob("*.sh")]):
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if str(path) not in BUILDS and re.search(r"\bswift (?:build|test|run)\b", line):
            fault(path, number, "builds with options of its own; use deploy/build.sh or deploy/build-program.sh")

# 11. A copy of a whole dirent, which reads behind the kernel's answer. Foundation's Process does so with the open descriptors.
for path in sorted([*ROOT.rglob("*.swift"), *pathlib.Path("Sources").rglob("*.swift")]):
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if re.search(r"\bProcess\(\)$|of: \w+\.pointee\.d_name", line):
            fault(path, number, "may read behind a list of files; use ChildProcess, or FileManager's contentsOfDirectory")

print("\n".join(faults) or "no kind of fault that makes tests fail by chance")
sys.exit(bool(faults))
END
