"""The building blocks of the scenarios, which run inside the guest of boot.sh. All in it is real but the air.

Controllers are counted from 0: the receiver's is 0, the box's own (the gateway's) is 1, a second receiver's 2.
Nothing here polls: idle time is skipped in the guest, so a loop would never see it pass.
"""
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

BOX = 1
ADDRESS = "00:AA:5E:00:00:{:02X}"  # of virtual-air's controllers
CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
AIR = os.environ.get("LAB_AIR", CHECKOUT + "/.build/air")
BUILT = os.environ.get("LAB_GATEWAY", CHECKOUT + "/.build/debug/sondygo2mqtt")
GATEWAY = "/run/gateway/bin/sondygo2mqtt"  # Its copy in the guest's memory.
PROGRAM = os.path.basename(sys.argv[0])


class Failure(Exception):
    pass


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lines:
    """A program, and the lines that it prints."""

    everything = []  # The programs whose last lines are printed when a scenario fails.

    def __init__(self, name, command, **options):
        self.name, self.seen, self.buffer = name, [], b""
        stream = options.pop("stream", "stderr")
        options[stream] = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
        self.pipe = getattr(self.process, stream)
        os.set_blocking(self.pipe.fileno(), False)
        self.at = 0
        Lines.everything.append(self)

    def _read(self):
        try:
            data = os.read(self.pipe.fileno(), 65536)
        except BlockingIOError:
            return True
        if not data:
            return False
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        self.seen += [line.decode(errors="replace") for line in lines]
        return True

    def drain(self):
        """Reads the lines so far. The next wait passes them over."""
        while True:
            size = len(self.seen)
            if not self._read() or len(self.seen) == size:
                break
        self.at = len(self.seen)

    def wait(self, pattern, seconds):
        """The next line that matches; what came before is passed over."""
        test = pattern if callable(pattern) else re.compile(pattern).search
        deadline = now() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.pipe, selectors.EVENT_READ)
            while True:
                while self.at < len(self.seen):
                    line = self.seen[self.at]
                    self.at += 1
                    if test(line):
                        return line
                rest = deadline - now()
                if rest <= 0 or not selector.select(rest):
                    raise Failure(f"{self.name}: no {describe(pattern)} within {seconds} s")
                if not self._read():
                    raise Failure(f"{self.name}: ended before {describe(pattern)}")

    def count(self, pattern):
        self.drain()
        return sum(1 for line in self.seen if re.search(pattern, line))

    def stop(self, number=signal.SIGTERM):
        """The exit status."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """The exit status. At its end a process closes files that the host lends, and the guest's clock runs ahead
        meanwhile: a limit of few seconds would measure the host."""
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: still there after 60 s, its threads wait in {waits(self.process.pid)}")


def waits(process):
    """The thread's state and the kernel's function that it waits in, for each thread of a process."""
    return ", ".join(
        Path(thread, "stat").read_text().rpartition(")")[2].split()[0] + " " + Path(thread, "wchan").read_text()
        for thread in sorted(Path(f"/proc/{process}/task").iterdir())
    )


def describe(pattern):
    return "such line" if callable(pattern) else f"/{pattern}/"


class Air(Lines):
    """The virtual controllers, and the faults between them."""

    def __init__(self, controllers=2):
        self.fifo = "/run/air"
        super().__init__("air", [AIR + "/virtual-air", "-n", str(controllers), "-o", self.fifo])
        for number in range(controllers):
            self.wait(f"controller {number}: hci{number}", 60)

    def order(self, text):
        with open(self.fifo, "w") as fifo:
            fifo.write(text + "\n")


class Receiver(Lines):
    def __init__(self, *options, controller=0):
        self.fifo = f"/run/receiver{controller}"
        self.controller = controller
        command = [AIR + "/virtual-receiver", "-c", str(controller), "-o", self.fifo, *options]
        super().__init__(f"receiver {controller}", command)
        self.wait(f'" on hci{controller}', 60)

    def order(self, text):
        with open(self.fifo, "w") as fifo:
            fifo.write(text + "\n")


class Broker(Lines):
    """mosquitto and everything that is published on it, in order."""

    port = 18830

    def __init__(self):
        path = "/run/mosquitto.conf"
        with open(path, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n"
                       "max_queued_messages 0\nset_tcp_nodelay true\nuser root\n"
                       "log_type information\nlog_type warning\nlog_type error\nlog_type subscribe\n")
        self.server = Lines("mosquitto", ["mosquitto", "-c", path])
        self.server.wait("mosquitto version .* running", 60)
        super().__init__("mqtt", ["mosquitto_sub", "-p", str(self.port), "-t", "#", "-q", "1", "-F", "%r %t %p"],
                         stream="stdout")
        self.server.wait(" (mosq|auto)", 60)

    def message(self, topic, test=lambda body: True, seconds=60):
        """The body of the next live message on a topic of the gateway."""
        found = []

        def matches(line):
            retained, name, body = line.split(" ", 2)
            if name != "sondygo/car/" + topic:
                return False
            body = json.loads(body) if body[:1] in "{[" else body
            if test(body):
                found.append(body)
                return True
            return False

        try:
            self.wait(matches, seconds)
        except Failure as failure:
            raise Failure(f"{failure} on {topic}") from None
        return found[0]

    def position(self, seconds=60, **wanted):
        return self.message("position", lambda body: all(body[key] == value for key, value in wanted.items()), seconds)

    def event(self, name, seconds=60):
        return self.message("event", lambda body: body["event"] == name, seconds)

    def command(self, text):
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-t", "sondygo/car/command", "-m", text], check=True)

    def bodies(self, topic):
        """The bodies of all messages so far on a topic of the gateway."""
        self.drain()
        lines = (line.split(" ", 2) for line in self.seen)
        return [json.loads(body) for _, name, body in lines if name == "sondygo/car/" + topic]

    def altitudes(self):
        """Of all positions so far: the simulated receiver adds 5 m with each frame, so a gap is a lost frame."""
        return [body["altitude_m"] for body in self.bodies("position")]

    def forget(self):
        """Drops the lines so far, to make room in a long run. They are not checked against the schemas."""
        self.drain()
        self.seen, self.at = [], 0

    def check_schemas(self):
        """Checks the gateway's messages against their schemas: all of them, or in a long run every n-th of a topic."""
        self.drain()
        payloads = {}
        for line in self.seen:
            _, topic, payload = line.split(" ", 2)
            name = "homeassistant" if topic.startswith("homeassistant/") else topic.removeprefix("sondygo/car/")
            if name != "command" and not name.endswith("/set"):
                payloads.setdefault(name, []).append(payload)
        # The emulated processor checks only about ten predictions a second.
        messages = [json.dumps({"topic": name, "payload": payload}) for name, all in payloads.items()
                    for payload in all[::1 + len(all) // 200]]
        with open("/run/messages.jsonl", "w") as file:
            file.write("\n".join(messages))
        result = subprocess.run(["python3", CHECKOUT + "/Tests/TestSupport/validate.py", CHECKOUT + "/Fixtures/schemas",
                                 "/run/messages.jsonl"], capture_output=True, text=True)
        require(result.stdout == f"checked {len(messages)}\n", result.stdout + result.stderr)


class Gateway(Lines):
    def __init__(self, *options, environment={}, prefix=[], command=["run"], stream="stderr"):
        os.makedirs("/run/state", exist_ok=True)
        # The store belongs to the user that the gateway runs as. root may write in any case.
        subprocess.run(["chown", "-R", "65534:65534", "/run/state"], check=True)
        settings = {
            "SONDYGO_GATEWAY_ID": "car", "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": str(Broker.port),
            "SONDYGO_GATEWAY_STATE_DIRECTORY": "/run/state", "SONDYGO_SONDEHUB_ENABLED": "false",
            "SONDYGO_GATEWAY_LOG_LEVEL": "debug",
        }
        super().__init__("gateway", [*prefix, GATEWAY, *command, *options], stream=stream,
                         env={**os.environ, **settings, **environment})
        if command == ["run"]:
            # The program comes from the host's disk, and the guest's clock runs ahead meanwhile. The limits of a scenario
            # count from its first line.
            self.wait("starting sondygo2mqtt", 300)
            self.at = 0

    def stop(self, number=signal.SIGTERM):
        """The exit status. A gateway that is asked to stop has done its work within 5 s."""
        self.process.send_signal(number)
        if number == signal.SIGTERM:
            self.wait("sondygo2mqtt stopped", 5)
        return self.ended()

    def usage(self):
        """CPU seconds, resident and anonymous memory in MB, and how often it slept and woke."""
        pid = self.process.pid
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        wakes = 0
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status") as file:
                wakes += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])
        with open(f"/proc/{pid}/status") as file:
            status = file.read()
        memory = {key: int(re.search(key + r":\s*(\d+)", status)[1]) / 1024 for key in ("VmRSS", "RssAnon")}
        ticks = int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK"), memory["VmRSS"], memory["RssAnon"], wakes

    def files(self):
        """The number of open files."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def forget():
    """Removes the store, so that the next gateway starts as the first one did."""
    shutil.rmtree("/run/state")


def open_ways(path):
    """Lets everybody pass through the folders above; in the guest's layer only."""
    while (path := os.path.dirname(path)) != "/":
        mode = os.stat(path).st_mode
        if mode & 0o011 != 0o011:
            os.chmod(path, mode | 0o011)


def as_nobody(*capabilities):
    """A prefix for a program: another user, with these capabilities and no others."""
    open_ways(GATEWAY)
    for library in re.findall(r"=> (/\S+)", subprocess.run(["ldd", GATEWAY], capture_output=True, text=True).stdout):
        open_ways(library)
    wanted = ",".join("+" + name for name in capabilities) or "-all"
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=" + wanted,
            "--ambient-caps=" + wanted]


def power(controller, on):
    """As a user would; btmgmt says nothing without a terminal."""
    subprocess.run(["script", "-qec", f"btmgmt --index {controller} power {'on' if on else 'off'}", "/dev/null"],
                   check=True, stdout=subprocess.DEVNULL)


def pause(seconds):
    """Lets this much of the guest's time pass, for things that must not happen. Reads all lines meanwhile, so that no
    pipe fills."""
    deadline = now() + seconds
    with selectors.DefaultSelector() as selector:
        for lines in Lines.everything:
            if lines.process.poll() is None:
                selector.register(lines.pipe, selectors.EVENT_READ, lines)
        while (rest := deadline - now()) > 0:
            for key, _ in selector.select(rest):
                if not key.data._read():
                    selector.unregister(key.fileobj)


def require(condition, text):
    if not condition:
        raise Failure(text)


def step(text):
    print(f"  {text}", flush=True)


def preload():
    """Copies the gateway to the guest's memory, and reads all other programs once. The guest's time runs ahead while it
    waits for the host's disk: reading 100 MB from there would eat up the seconds that a start has."""
    os.makedirs(os.path.dirname(GATEWAY))
    shutil.copy(BUILT, GATEWAY)
    # The page lies beside it, as for an installed program.
    os.makedirs("/run/gateway/share/sondygo2mqtt")
    os.symlink(CHECKOUT + "/deploy/page", "/run/gateway/share/sondygo2mqtt/page")
    programs = [GATEWAY, *(shutil.which(name) for name in ("mosquitto", "mosquitto_sub", "mosquitto_pub"))]
    programs += [os.path.join(AIR, name) for name in os.listdir(AIR)]
    libraries = subprocess.run(["ldd", *programs], capture_output=True, text=True).stdout
    for path in {*programs, *re.findall(r"/\S+\.so\S*(?= \()", libraries)}:
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass


def run(scenario):
    """Runs a scenario; a failure prints the last lines of each program."""
    preload()
    try:
        scenario()
        for lines in Lines.everything:
            if isinstance(lines, Broker):
                lines.check_schemas()
    except (Failure, subprocess.SubprocessError) as failure:
        print(f"  FAILED at {now():.1f} s: {failure}")
        for lines in Lines.everything:
            lines.drain()
            if lines.process.poll() == 0:
                continue
            for line in lines.seen[-int(os.environ.get("LAB_LINES", 12)):]:
                print(f"    {lines.name}: {line[:400]}")
        code = 1
    else:
        code = 0
    for lines in Lines.everything:
        if lines.process.poll() is None:
            lines.process.kill()
    sys.stdout.flush()
    os._exit(code)
