#!/usr/bin/env python3
"""Five simulated cars and a board on three NATS servers, for demo-fleet.sh. A server is killed and brought back. Prints
whether every position of every car arrived.

  demo_fleet.py PROGRAM
"""

import json
import sys
import threading
import time

import local_fleet
from local_fleet import Board, Ear, LocalFleet, wait_until

CARS = [f"car{number}" for number in range(1, 6)]
# Seconds: before the kill, while the server is away, after its return.
BEFORE, AWAY, AFTER = 15, 20, 15


class Count:
    """What the cars have sent, and what has arrived at a control room; a position by its car and its time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent, self.live, self.arrivals, self.gaps = set(), [], {}, {}

    def send(self, _, retained, topic, payload):
        if not retained and payload:
            with self.lock:
                self.sent.add((topic, json.loads(payload)["time"]))

    def arrive(self, at, retained, topic, payload):
        if retained or not payload:
            return
        with self.lock:
            self.live.append((topic, json.loads(payload)["time"]))
            if topic in self.arrivals:
                self.gaps[topic] = max(self.gaps.get(topic, 0), at - self.arrivals[topic])
            self.arrivals[topic] = at

    def missing(self):
        with self.lock:
            return self.sent - set(self.live)


def board_shows(board, names):
    return all(board.car(name).get("reach") == "ok" for name in names)


def main(program):
    began = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - began:5.1f} s  {text}", flush=True)

    with LocalFleet(CARS) as fleet:
        say("three NATS servers start: TLS, a user for each car, everything on three disks")
        fleet.start_servers()
        say("their history keeps every position for 90 days")
        count = Count()
        Ear(fleet, fleet.servers[1].mqtt, ["sondygo/+/position"], count.arrive, user="desk", session="desk")
        board = Board(fleet, program)
        board.start()
        for car in fleet.cars:
            car.start()
        time.sleep(0.5)
        for number, car in enumerate(fleet.cars):
            Ear(fleet, car.port, ["sondygo/+/position"], count.send)
            # Two cars hunt one sonde.
            car.drive(program, "--seed", str(max(1, number)), "--launch-delay", "1")
        wait_until(lambda: len(count.arrivals) == len(CARS), "positions of all cars")
        say("five cars send one frame a second, each through its own mosquitto")
        wait_until(lambda: board_shows(board, CARS) and len(board.shown["sondes"]) == len(CARS) - 1, "all cars on the board")
        say(f"{board.url} shows {len(CARS)} cars and {len(board.shown['sondes'])} sondes: two cars hunt the same one")
        time.sleep(BEFORE)
        fleet.servers[0].kill()
        say("fleet1, to which all bridges and the board are connected, is killed")
        time.sleep(AWAY)
        fleet.servers[0].start()
        say("fleet1 is back, and gets what it has missed from the others")
        time.sleep(AFTER)
        is_shown = board_shows(board, CARS)
        gap = board.gap
        say("the board shows all cars" if is_shown else f"the board shows {board.shown['cars']}")
        for car in fleet.cars:
            car.park()
        try:
            wait_until(lambda: not count.missing(), "all positions")
        except TimeoutError:
            pass
        kept = [(topic, json.loads(payload)["time"]) for topic, payload in fleet.history("read")
                if topic.endswith("/position")]
        lost = count.missing() | (count.sent - set(kept))
        say("the cars have stopped")
        print(f"""
sent         {len(count.sent):5}
live         {len(set(count.live)):5}
in history   {len(set(kept)):5}
lost         {len(lost):5}
duplicates   {len(count.live) - len(set(count.live)):5} live, {len(kept) - len(set(kept))} in the history
longest gap  {max(count.gaps.values()):5.1f} s, on the board {gap:.1f} s""")
    return 0 if is_shown and not lost else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
