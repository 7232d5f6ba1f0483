#!/usr/bin/env python3
"""Real NATS servers, mosquitto bridges, gateways and boards on loopback, from the files of deploy/fleet. Exit code 1 if
anything is lost or shown wrong, or if a user may do what its role forbids.

  fleet.py [KILLS]    the history, the rights, two boards, cars that come and go, a cut bridge, KILLS servers killed at random
                      instants (default 2), two of three servers down, all three restarted, a server with an old stream
                      It takes three to four minutes on two cores; Tests/run.sh runs it.
  fleet.py KILLS short    the rights, a car that is away, and the kills and outages
PROGRAM names the program (default: the release build of this checkout). OUTAGE is how long two servers, and all three, are
down, seconds (default 5); the bridge is cut for a minute or as long. SEED chooses the instants.
"""

import os
import pathlib
import random
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "deploy/fleet"), str(ROOT / "Tests/Fleet")]
from boards import Boards  # noqa: E402
from bridges import Cable, OldServer, history_comes_first, history_leader, history_stays, long_cut, stolen_box  # noqa: E402
from checks import Frames, check, faults, publish, stored  # noqa: E402
from local_fleet import Board, Car, Ear, LocalFleet, wait_until  # noqa: E402

PROGRAM = os.environ.get("PROGRAM", str(ROOT / ".build-static/release/sondygo2mqtt"))
OUTAGE = float(os.environ.get("OUTAGE", "5"))


def rights(fleet):
    """A car writes nothing of another's, and reads nobody's commands but its own."""
    heard, own, other = [], [], []
    port = fleet.servers[0].mqtt
    ears = [
        Ear(fleet, port, ["sondygo/#"], lambda *message: heard.append(message[2:]), user="desk"),
        Ear(fleet, port, ["sondygo/car1/command"], lambda *message: own.append(message[3]), user="car1"),
        Ear(fleet, port, ["sondygo/car2/command", "sondygo/car2/position"], lambda *message: other.append(message[3]),
            user="car1")]
    # The ears hear from now on.
    for ear, topic, user in [(heard, "sondygo/probe/command", "desk"), (own, "sondygo/car1/command", "desk")]:
        def is_heard():
            publish(fleet, port, topic, "probe", user, may_fail=True)
            return bool(ear)
        wait_until(is_heard, f"a subscription to {topic}")
    right = {("sondygo/car1/position", "car1"), ("sondygo/car1/command", "desk"), ("sondygo/car2/command", "desk")}
    for topic, user in [("sondygo/car2/position", "car1"), ("sondygo/car1/command", "car1"), ("sondygo/car1/position", "hall"),
                        ("sondygo/car1/command", "hall"), ("sondygo/car1/position", "desk"), ("sondygo/car1/position", "car1"),
                        ("sondygo/car1/command", "desk"), ("sondygo/car2/command", "desk")]:
        publish(fleet, port, topic, user, user, may_fail=(topic, user) not in right)
    wait_until(lambda: ("sondygo/car2/command", "desk") in heard, "the last of them", 60)
    # What is forbidden must not come: if it does, then with the others.
    time.sleep(1)
    told = {message for message in heard if message[1] != "probe"}
    check(f"only a car writes its position, and only the desk commands {sorted(told ^ right)}", told == right)
    check("a car reads its own commands", set(own) == {"probe", "desk"})
    check("a car reads nothing of another's", other == [])
    for ear in ears:
        ear.end()


def absent_car(fleet, car):
    """A command to a car whose bridge is down is gone, also after it is back."""
    car.stop()
    publish(fleet, fleet.servers[0].mqtt, f"sondygo/{car.name}/command", "late", "desk")
    car.start()
    heard = commanded(fleet, car, "now")
    check("a command to a car that is away is not delivered later", set(heard) == {"now"})


def commanded(fleet, car, text):
    """Commands the car until it hears it. Returns all commands that it has heard meanwhile."""
    heard = []
    ear = Ear(fleet, car.port, [f"sondygo/{car.name}/command"], lambda *message: heard.append(message[3]))

    def is_through():
        publish(fleet, fleet.servers[0].mqtt, f"sondygo/{car.name}/command", text, "desk", may_fail=True)
        return text in heard

    wait_until(is_through, f"a command to {car.name}", 60)
    ear.end()
    return heard


def still_commanded(fleet, cars):
    """NATS refuses subscriptions while it elects leaders, also those of a bridge."""
    for car in cars:
        try:
            commanded(fleet, car, "again")
            check(f"after the outages {car.name} gets commands", True)
        except TimeoutError as error:
            check(f"after the outages {car.name} gets commands: {error}", False)


def outages(fleet, kills):
    """Returns the frames that were sent meanwhile."""
    chance = random.Random(int(os.environ.get("SEED", "1")))
    frames = [Frames(fleet, car) for car in (fleet.cars[0], fleet.cars[-1])]
    by_topic = {one.topic: one for one in frames}
    ear = Ear(
        fleet, fleet.servers[2].mqtt, list(by_topic),
        lambda at, retained, topic, payload: by_topic[topic].arrive(at, retained, payload), user="desk", session="outages")
    # The session must be there before the first frame; mosquitto_sub does not say when it is.
    time.sleep(2)
    for one in frames:
        one.thread.start()
    wait_until(lambda: all(one.arrived for one in frames), "frames of all cars")
    for number in range(kills):
        time.sleep(chance.uniform(1, 4))
        # Chance may spare the one that takes the messages of the history.
        server = chance.choice(fleet.servers) if number else history_leader(fleet)
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
        time.sleep(2)
    for one in frames:
        one.end()
    return frames, ear


def count(fleet, kills, frames, ear):
    expected = set().union(*[one.sent for one in frames])
    kept = stored(fleet, frames)
    lost = expected - set(kept)
    live = sum(len(set(one.arrived)) for one in frames)
    print(f"{kills} kills, two and all three servers down for {OUTAGE:.0f} s: {len(expected)} sent, {live} live, "
          f"{len(set(kept))} in the stream, {len(lost)} lost, {len(kept) - len(set(kept))} twice, longest gap "
          f"{max(one.gap for one in frames):.1f} s; the subscriber was refused {ear.starts - 1} times", flush=True)
    check("every position is in the stream", not lost)


def copies_are_equal(fleet):
    """All servers have the same messages, also the one that was away last."""
    told = []

    def are_equal():
        try:
            told[:] = fleet.history("compare")
            return True
        except RuntimeError as error:
            told[:] = [str(error)]
            return False

    try:
        wait_until(are_equal, "equal copies")
        check(f"after the outages the three servers have the same history: {told[0][1]}", len(told) == 3)
    except TimeoutError:
        check(f"after the outages the three servers have the same history: {told}", False)


def short(kills):
    with LocalFleet(["car1", "car2"]) as fleet:
        history_comes_first(fleet)
        rights(fleet)
        history_stays(fleet)
        for car in fleet.cars:
            car.start()
        absent_car(fleet, fleet.cars[0])
        frames, ear = outages(fleet, kills)
        count(fleet, kills, frames, ear)
        copies_are_equal(fleet)
        still_commanded(fleet, fleet.cars)
        if faults:
            fleet.tell()
    return 1 if faults else 0


def main(kills=2, what="all"):
    if what == "short":
        return short(int(kills))
    began = time.monotonic()

    def say(text):
        print(f"        {text} ({time.monotonic() - began:.0f} s)", flush=True)

    with LocalFleet([f"car{number}" for number in range(1, 8)], roles=("control:desk", "watch:hall", "car:stolen")) as fleet:
        first = Board(fleet, PROGRAM)
        first.start()
        history_comes_first(fleet)
        rights(fleet)
        history_stays(fleet)
        stolen_box(fleet)
        say("rights")
        cables = [Cable(server.mqtt) for server in fleet.servers]
        fleet.cars[1] = Car(fleet, "car2", "behind-cables", [cable.port for cable in cables])
        for car in (fleet.cars[0], fleet.cars[1], fleet.cars[6]):
            car.start()
        absent_car(fleet, fleet.cars[0])
        boards = Boards(fleet, PROGRAM, first)
        boards.run()
        say("boards")
        cut = long_cut(fleet, fleet.cars[1], cables, first, OUTAGE)
        say("a cut bridge")
        check("all of it is in the stream", cut.sent <= set(stored(fleet, [cut])))
        old = OldServer(fleet)
        old.remember()
        frames, ear = outages(fleet, int(kills))
        count(fleet, int(kills), frames, ear)
        copies_are_equal(fleet)
        # The second car's cables have hung up while their servers were dead.
        still_commanded(fleet, (fleet.cars[0], fleet.cars[1], fleet.cars[6]))
        say("outages")
        boards.after_the_outages()
        boards.holes()
        say("boards after the outages")
        old.come_back(frames)
        if faults:
            fleet.tell()
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
