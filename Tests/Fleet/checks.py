"""What the tests of a fleet share: numbered frames, messages by a user, and the list of what went wrong."""

import json
import os
import subprocess
import threading
import time
from datetime import datetime, timezone

from local_fleet import PATH, wait_until

RATE = 20
faults = []


def check(what, is_right):
    print(("ok      " if is_right else "WRONG   ") + what, flush=True)
    if not is_right:
        faults.append(what)


def publish(fleet, port, topic, text, user=None, *more, may_fail=False):
    """Returns whether the broker has acknowledged it. If it must and has not, raises RuntimeError."""
    login = ["--cafile", fleet.ca, "-u", user, "-P", fleet.password(user)] if user else []
    payload = [] if text is None else ["-m", text]
    try:
        done = subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", topic, *payload, *login, *more],
            env={**os.environ, "PATH": PATH}, timeout=20, capture_output=True, text=True)
        why = done.returncode and f"code {done.returncode}, {done.stderr.strip()}"
    except subprocess.TimeoutExpired:
        why = "no answer within 20 s"
    if why and not may_fail:
        raise RuntimeError(f"{topic} is not published on port {port}: {why}")
    return not why


def stamp(seconds=0):
    """The time that many seconds from now, as the gateway writes it."""
    return datetime.fromtimestamp(time.time() + seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Frames:
    """Sends numbered positions of a car to its mosquitto, retained as a gateway with MQTT 3.1.1 does, and counts what
    arrives in the cluster."""

    # The next number of each topic: the stream keeps those of earlier tests.
    numbers = {}

    def __init__(self, fleet, car):
        self.car, self.topic = car, f"sondygo/{car.name}/position"
        self.first = self.next = self.numbers.get(self.topic, 0)
        self.arrived, self.is_over = [], False
        self.gap, self.last = 0, None
        self.lock = threading.Lock()
        self.child = fleet.start(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(car.port), "-q", "1", "-r", "-t", self.topic, "-l"],
            fleet.folder / "frames.log", stdin=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        begin, count = time.monotonic(), 0
        while not self.is_over and self.child.poll() is None:
            self.send(1)
            count += 1
            time.sleep(max(0, begin + count / RATE - time.monotonic()))
        self.child.stdin.close()

    def send(self, count):
        """Sends that many frames at once."""
        with self.lock:
            for _ in range(count):
                self.child.stdin.write(json.dumps({
                    "n": self.next, "serial": f"S-{self.car.name}", "source": "ble", "latitude": 47.1, "longitude": 8.2,
                    "altitude_m": self.next, "time": stamp()}) + "\n")
                self.next += 1
            self.child.stdin.flush()
            self.numbers[self.topic] = self.next

    @property
    def sent(self):
        return {(self.topic, n) for n in range(self.first, self.next)}

    def arrive(self, at, retained, payload):
        if retained:
            return
        self.arrived.append(json.loads(payload)["n"])
        self.gap = max(self.gap, at - (self.last or at))
        self.last = at

    def end(self):
        self.is_over = True
        self.thread.join(20)
        # A subscriber that hears nothing to the end has a gap, too.
        self.gap = max(self.gap, time.monotonic() - (self.last or 0))


def history(fleet):
    """Topic and message of all that is in the stream. While the servers elect its leader it can't be read."""
    found = []

    def is_read():
        try:
            found[:] = fleet.history("read")
            return True
        except RuntimeError:
            return False

    wait_until(is_read, "an answer of the stream")
    return found


def stored(fleet, frames, limit=180):
    """Topic and number of the frames in the history, when all are there or the limit has passed. On a busy machine the
    bridges bring some 100 messages a second after an outage."""
    sent, kept = set().union(*[one.sent for one in frames]), []

    def is_complete():
        numbered = [(topic, json.loads(payload)["n"]) for topic, payload in history(fleet) if payload.startswith('{"n"')]
        kept[:] = [one for one in numbered if one in sent]
        return sent <= set(kept)

    try:
        wait_until(is_complete, "everything in the stream", limit)
    except TimeoutError:
        pass
    return kept
