#!/usr/bin/env python3
"""Cuts the bridge of a real gateway for an hour of real time, and counts what the cluster gets when it is whole again.

  cut.py [SECONDS]    one car with its mosquitto, bridge and gateway, which sends a frame a second; three NATS servers and a
                      board; the bridge is cut for SECONDS (default 3600). It needs hardly any processor time.
PROGRAM names the program (default: the release build of this checkout). Ends with 1 if a message with QoS 1 is lost.
"""

import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "deploy/fleet"), str(ROOT / "Tests/Fleet"), str(ROOT / "Tests")]
from bridges import Cable  # noqa: E402
from checks import check, faults, history  # noqa: E402
from endurance import usage  # noqa: E402
from local_fleet import Board, Car, Ear, LocalFleet, wait_until  # noqa: E402

PROGRAM = os.environ.get("PROGRAM", str(ROOT / ".build-static/release/sondygo2mqtt"))
# The topics that cross the bridge with QoS 1, without the car's id.
KEPT = ("position", "landing", "recovery", "event", "history/position", "history/event", "history/command/response")
# How long the frames flow before the cut, and how long the queue may take after it, seconds.
BEFORE, DRAIN = 20, 600


class Messages:
    """What a subscriber hears live of the topics with QoS 1, in the order of arrival."""

    def __init__(self, name):
        self.prefix, self.all, self.first = f"sondygo/{name}/", [], {}

    def hear(self, at, retained, topic, payload):
        """Skips retained values, and empty messages, which clear them."""
        if retained or not payload or topic.removeprefix(self.prefix) not in KEPT:
            return
        key = (topic.removeprefix(self.prefix), payload)
        self.all.append(key)
        self.first.setdefault(key, at)

    def told(self):
        """How many of each kind, repeated ones included."""
        kinds = [kind for kind, _ in list(self.all)]
        return ", ".join(f"{kinds.count(kind)} {kind}" for kind in KEPT if kind in kinds) or "nothing"

    def position_times(self):
        return [json.loads(payload)["time"] for kind, payload in list(self.first) if kind.endswith("position")]


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def stay_cut(car, sent, board, seconds):
    """Tells each five minutes what the car has sent, how large its mosquitto is, and what the board shows."""
    began = time.monotonic()
    reaches = {}
    while (left := began + seconds - time.monotonic()) > 0:
        pause = time.monotonic() + min(left, 300)
        while time.monotonic() < pause:
            time.sleep(min(1, max(0, pause - time.monotonic())))
            reaches.setdefault(board.car(car.name).get("reach"), round(time.monotonic() - began))
        say(f"cut for {time.monotonic() - began:.0f} s: {sent.told()} sent; the mosquitto has "
            f"{usage(car.broker)[0]:.1f} MB, the board shows {board.car(car.name).get('reach')}")
    say(f"what the board showed first, after so many seconds of the cut: {reaches}")


def drain(car, sent, arrived, board):
    """Waits until all that was sent during the cut has arrived, and the board shows a frame of now."""
    mended, queued = time.monotonic(), dict(sent.first)
    current, left, is_over = None, set(queued), False
    while time.monotonic() < mended + DRAIN and not (is_over and current):
        time.sleep(0.2)
        left -= set(arrived.first)
        is_over = not left
        frame = next((sonde["position"] for sonde in list(board.shown["sondes"].values()) if sonde["position"]), {})
        is_new = frame.get("at", "") > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 5))
        if not current and is_new and board.car(car.name).get("reach") == "ok":
            current = time.monotonic() - mended
    came = [arrived.first[key] for key in queued if key in arrived.first]
    say(f"{len(queued)} messages had been sent when the bridge was whole again; {len(left)} of them have not come; the last "
        f"came {max(came) - mended:.1f} s later; the board showed the car and a frame of now after {current or -1:.1f} s")


def count(fleet, sent, arrived):
    expected, live = set(sent.first), set(arrived.first)
    prefix = arrived.prefix
    kept = [(topic.removeprefix(prefix), payload) for topic, payload in history(fleet) if topic.startswith(prefix) and payload]
    stored = set(kept)
    times = sent.position_times()
    heard = arrived.position_times()
    disordered = sum(later < earlier for earlier, later in zip(heard, heard[1:]))
    copies = {kind: sum(one == kind for one, _ in arrived.all) - sum(one == kind for one, _ in live) for kind in KEPT}
    say(f"sent {len(expected)} ({sent.told()}); live {len(expected & live)}, in the history {len(expected & stored)}; lost "
        f"live {len(expected - live)}, in the history {len(expected - stored)}; {len(set(times))} positions sent, "
        f"{len(set(times) - set(heard))} lost, {disordered} behind later ones; came again live "
        f"{ {kind: copy for kind, copy in copies.items() if copy} }, in the history {len(kept) - len(stored)}")
    for kind, payload in sorted(expected - (live & stored))[:5]:
        say(f"missing: {kind} {payload[:200]}")
    check("nothing is lost", expected <= live & stored)


def main(seconds=3600):
    with LocalFleet(["car1"]) as fleet:
        fleet.start_servers()
        cables = [Cable(server.mqtt) for server in fleet.servers]
        car = fleet.cars[0] = Car(fleet, "car1", "behind-cables", [cable.port for cable in cables])
        board = Board(fleet, PROGRAM)
        board.start()
        sent, arrived = Messages(car.name), Messages(car.name)
        car.start()
        Ear(fleet, car.port, [f"sondygo/{car.name}/#"], sent.hear)
        Ear(fleet, fleet.servers[0].mqtt, [sent.prefix + kind for kind in KEPT], arrived.hear, user="desk", session="cut")
        # Both must have subscribed before the first message; mosquitto_sub does not say when.
        time.sleep(3)
        car.drive(PROGRAM, "--seed", "3", "--launch-delay", "1", "--car")
        wait_until(lambda: len(arrived.position_times()) >= BEFORE, "frames through the bridge")
        for cable in cables:
            cable.cut()
        say(f"the bridge is cut; sent so far: {sent.told()}")
        stay_cut(car, sent, board, float(seconds))
        for cable in cables:
            cable.mend()
        drain(car, sent, arrived, board)
        # The queue is empty, so this counts what still comes live.
        time.sleep(30)
        # What comes from now on is not counted.
        car.park()
        # The last messages are on their way.
        time.sleep(5)
        count(fleet, sent, arrived)
        if faults:
            fleet.tell()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
