#!/usr/bin/env python3
"""Real NATS servers and mosquitto bridges on loopback, from the files of deploy/fleet. A car's frames are numbered messages
to its mosquitto, twenty a second. Exit code 1 when anything is lost, or somebody may do what he must not.

  fleet.py [KILLS]    the rights, commands to a car that is away, KILLS random servers killed at random instants (default 3),
                      two of three servers down, all three restarted
OUTAGE is how long two servers, and all three, are down, seconds (default 10). SEED chooses the instants.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "deploy/fleet"))
from local_fleet import PATH, Ear, LocalFleet, wait_until  # noqa: E402

RATE = 20
OUTAGE = float(os.environ.get("OUTAGE", "10"))
faults = []


def check(what, is_right):
    print(("ok      " if is_right else "WRONG   ") + what, flush=True)
    if not is_right:
        faults.append(what)


def publish(fleet, port, topic, text, user):
    subprocess.run(
        ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", topic, "-m", text, "--cafile", fleet.ca,
         "-u", user, "-P", fleet.password(user)], env={**os.environ, "PATH": PATH}, timeout=20, capture_output=True)


class Frames:
    """Sends numbered positions of a car to its mosquitto, and counts what arrives in the cluster."""

    def __init__(self, fleet, car):
        self.topic = f"sondygo/{car.name}/position"
        self.sent, self.arrived, self.isOver = 0, [], False
        self.gap, self.last = 0, None
        self.child = fleet.start(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(car.port), "-q", "1", "-t", self.topic, "-l"],
            fleet.folder / "frames.log", stdin=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        begin = time.monotonic()
        while not self.isOver and self.child.poll() is None:
            self.child.stdin.write(json.dumps({"n": self.sent, "time": time.time()}) + "\n")
            self.child.stdin.flush()
            self.sent += 1
            time.sleep(max(0, begin + self.sent / RATE - time.monotonic()))
        self.child.stdin.close()

    def arrive(self, at, retained, payload):
        if retained:
            return
        self.arrived.append(json.loads(payload)["n"])
        self.gap = max(self.gap, at - (self.last or at))
        self.last = at

    def end(self):
        self.isOver = True
        self.thread.join()
        # A subscriber that hears nothing to the end has a gap, too.
        self.gap = max(self.gap, time.monotonic() - (self.last or 0))


def rights(fleet):
    """A car writes nothing of another's, and reads nobody's commands but its own."""
    heard, own, other = [], [], []
    port = fleet.servers[0].mqtt
    Ear(fleet, port, ["sondygo/#"], lambda *message: heard.append(message[2:]), user="desk")
    Ear(fleet, port, ["sondygo/car1/command"], lambda *message: own.append(message[3]), user="car1")
    Ear(fleet, port, ["sondygo/car2/command", "sondygo/car2/position"], lambda *message: other.append(message[3]), user="car1")
    # The ears hear from now on.
    for ear, topic, user in [(heard, "sondygo/probe/command", "desk"), (own, "sondygo/car1/command", "desk")]:
        def is_heard():
            publish(fleet, port, topic, "probe", user)
            return bool(ear)
        wait_until(is_heard, f"a subscription to {topic}")
    for topic, user in [("sondygo/car2/position", "car1"), ("sondygo/car1/command", "car1"), ("sondygo/car1/position", "hall"),
                        ("sondygo/car1/command", "hall"), ("sondygo/car1/position", "desk"), ("sondygo/car1/position", "car1"),
                        ("sondygo/car1/command", "desk"), ("sondygo/car2/command", "desk")]:
        publish(fleet, port, topic, user, user)
    wait_until(lambda: ("sondygo/car2/command", "desk") in heard, "the last of them", 20)
    time.sleep(1)
    told = {message for message in heard if message[1] != "probe"}
    right = {("sondygo/car1/position", "car1"), ("sondygo/car1/command", "desk"), ("sondygo/car2/command", "desk")}
    check(f"only a car writes its position, and only the desk commands {sorted(told ^ right)}", told == right)
    check("a car reads its own commands", set(own) == {"probe", "desk"})
    check("a car reads nothing of another's", other == [])


def absent_car(fleet, car):
    """A command to a car whose bridge is down is gone, also after it is back."""
    heard = []
    car.broker.terminate()
    car.broker.wait()
    publish(fleet, fleet.servers[0].mqtt, f"sondygo/{car.name}/command", "late", "desk")
    car.start()
    time.sleep(1)
    Ear(fleet, car.port, [f"sondygo/{car.name}/command"], lambda *message: heard.append(message[3]))

    def is_through():
        publish(fleet, fleet.servers[0].mqtt, f"sondygo/{car.name}/command", "now", "desk")
        return "now" in heard

    wait_until(is_through, "a command to the car that is back", 30)
    check("a command to a car that is away is not delivered later", set(heard) == {"now"})


def outages(fleet, kills):
    chance = random.Random(int(os.environ.get("SEED", "1")))
    frames = [Frames(fleet, car) for car in fleet.cars]
    by_topic = {one.topic: one for one in frames}
    Ear(
        fleet, fleet.servers[2].mqtt, ["sondygo/+/position"],
        lambda at, retained, topic, payload: topic in by_topic and by_topic[topic].arrive(at, retained, payload),
        user="desk", session="outages")
    time.sleep(3)
    for one in frames:
        one.thread.start()
    wait_until(lambda: all(one.arrived for one in frames), "frames of all cars")
    for number in range(kills):
        time.sleep(chance.uniform(1, 4))
        server = chance.choice(fleet.servers)
        server.kill()
        time.sleep(chance.uniform(1, 5))
        server.start()
        wait_until(lambda: all(server.is_ready() for server in fleet.servers), "the cluster after a kill")
    for some in (fleet.servers[:2], fleet.servers):
        for server in some:
            server.kill()
        time.sleep(OUTAGE)
        for server in some:
            server.start()
        wait_until(lambda: all(server.is_ready() for server in fleet.servers), "the cluster after an outage")
        time.sleep(3)
    for one in frames:
        one.end()
    expected = {(one.topic, n) for one in frames for n in range(one.sent)}

    def stored():
        return [(topic, json.loads(payload)["n"]) for topic, payload in fleet.history("read") if topic in by_topic
                and payload.startswith('{"n"')]

    try:
        wait_until(lambda: expected <= set(stored()), "everything in the stream")
    except TimeoutError:
        pass
    kept = stored()
    lost = expected - set(kept)
    live = sum(len(set(one.arrived)) for one in frames)
    print(f"{kills} kills, two and all three servers down for {OUTAGE:.0f} s: {len(expected)} sent, {live} live, "
          f"{len(set(kept))} in the stream, {len(lost)} lost, {len(kept) - len(set(kept))} twice, longest gap "
          f"{max(one.gap for one in frames):.1f} s", flush=True)
    check("every position is in the stream", not lost)


def main(kills=3):
    began = time.monotonic()
    with LocalFleet(["car1", "car2"]) as fleet:
        fleet.start_servers()
        fleet.history("make")
        rights(fleet)
        for car in fleet.cars:
            car.start()
        absent_car(fleet, fleet.cars[0])
        outages(fleet, int(kills))
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
