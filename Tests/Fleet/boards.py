"""Two boards beside real gateways: what they show when cars come, go, restart, share an id or have a wrong clock."""

import json
import threading
import time

from checks import check, history, publish, stamp
from local_fleet import Board, Car, Ear, wait_until

# The boards look at what changes by time alone every 2 s, and a busy machine starts programs slowly.
LIMIT = 120
# How far the wrong clock is ahead, seconds.
AHEAD = 3600


class Boards:
    """The tests, in the order of ``run``. The first board was started before the servers."""

    def __init__(self, fleet, program, first):
        self.fleet, self.program, self.first = fleet, program, first
        self.second = Board(fleet, program, fleet.servers[::-1])
        self.hunters = [fleet.cars[2], fleet.cars[3]]
        self.late = fleet.cars[5]
        self.is_over = False

    @property
    def both(self):
        return [self.first, self.second]

    def reach(self, car):
        return {board.car(car.name).get("reach") for board in self.both}

    def run(self):
        self.two_cars_hunt_one_sonde()
        self.boards_show_the_same("two boards, one started after the flight began, show the same")
        self.begin_twins_and_late_clock()
        self.command_to_a_car()
        self.car_without_mosquitto()
        self.car_restarted()
        self.wrong_clock()
        self.twins()

    def two_cars_hunt_one_sonde(self):
        for car in self.hunters:
            car.start()
            car.drive(self.program, "--seed", "7", "--launch-delay", "1")
        names = {car.name for car in self.hunters}

        def is_one():
            heard = [{one["car"] for one in sonde["heard_by"]} for sonde in self.first.shown["sondes"].values()]
            return names in heard

        wait_until(is_one, "a sonde that two cars hear", LIMIT)
        sondes = list(self.first.shown["sondes"].values())
        check("a board that was started before the servers shows the cars", names <= set(self.first.shown["cars"]))
        check("two cars hunt one sonde: the board shows it once", len(sondes) == 1)

    def boards_show_the_same(self, what):
        if self.second.process is None:
            self.second.start()
        def are_equal():
            first, second = self.comparable(self.first), self.comparable(self.second)
            return bool(first["cars"]) and first == second

        try:
            wait_until(are_equal, "equal boards", LIMIT)
        except TimeoutError:
            first, second = self.comparable(self.first), self.comparable(self.second)
            for kind in first:
                for key in first[kind].keys() | second[kind].keys():
                    if first[kind].get(key) != second[kind].get(key):
                        print(kind, key, first[kind].get(key), second[kind].get(key), sep="\n")
        check(what, are_equal())

    def comparable(self, board):
        """Without the car whose clock is off, and its sonde: each board measures the clock itself, to the millisecond.
        Without the id that two boxes share: its values change each time that one throws out the other. And without the
        mosquittos that have no gateway: a bridge's will can pass the message of its next connection, and only a gateway's
        `health` shows then that it is up."""
        own = (self.late.name, f"S-{self.late.name}", self.fleet.cars[4].name)
        return {kind: {key: one for key, one in dict(shown).items()
                       if key not in own and not (kind == "cars" and one["at"] is None)}
                for kind, shown in board.shown.items()}

    def begin_twins_and_late_clock(self):
        """Two boxes with one id, each with its mosquitto and bridge, and one whose clock is an hour ahead: they say what
        their gateways would. libfaketime makes a gateway's timers end at once, so that it needs a core."""
        car = self.fleet.cars[4]
        self.twin_boxes = [car, Car(self.fleet, car.name, "twin")]
        for uptime, box in zip((1000, 5000), self.twin_boxes):
            box.start()
            threading.Thread(target=self.beat, args=(box, uptime), daemon=True).start()
        self.late.start()
        threading.Thread(target=self.beat, args=(self.late, 9000, AHEAD), daemon=True).start()

    def beat(self, box, uptime, ahead=0):
        begin = time.monotonic()

        def say(topic, **values):
            publish(self.fleet, box.port, f"sondygo/{box.name}/{topic}", json.dumps(values), None, "-r")

        while not self.is_over and not self.fleet.isOver:
            try:
                say("health", at=stamp(ahead), uptime_s=int(uptime + time.monotonic() - begin), other_gateway=None)
                if ahead:
                    say("position", serial=f"S-{box.name}", source="ble", latitude=47.2, longitude=8.3, time=stamp(ahead))
            except RuntimeError as error:
                # At the end of the tests its mosquitto is gone.
                if not self.is_over and not self.fleet.isOver:
                    print(f"        {error}", flush=True)
            time.sleep(1)

    def command_to_a_car(self):
        """The bridge carries it with QoS 0, so one that comes while the bridge changes the server has no answer."""
        answers = []

        def is_answered():
            answers.append(self.first.hunt(self.hunters[0].name, None))
            return answers[-1][0] == 200

        wait_until(is_answered, "an answer to a command", LIMIT)
        check(f"a car answers a command from the board {answers[:-1] or ''}", True)

    def refuses_at_once(self, car, word):
        """By what is known of the car, not because no answer has come within 10 s, which the text would say."""
        for board in self.both:
            begin = time.monotonic()
            status, text = board.hunt(car.name, "V4210150")
            took = time.monotonic() - begin
            check(f"a command to a car that is away is refused at once: {text.strip()} ({took * 1000:.0f} ms)",
                  status == 503 and "not reachable" in text and word in text and "no answer" not in text)

    def car_without_mosquitto(self):
        """The car's mosquitto is away, and its gateway keeps what it hears."""
        car = self.hunters[1]
        car.stop()
        # A mosquitto that ends also sends the gateway's will.
        wait_until(lambda: self.reach(car) <= {"unconnected", "offline"}, "a car without mosquitto on both boards", LIMIT)
        self.refuses_at_once(car, "")
        # Its gateway hears some frames more, which must wait for the broker.
        time.sleep(4)
        car.start()
        wait_until(lambda: self.reach(car) == {"ok"}, "the car on both boards again", LIMIT)
        check("a car whose mosquitto was away is shown again", True)

    def car_restarted(self):
        car = self.hunters[0]
        car.park()
        wait_until(lambda: self.reach(car) == {"offline"}, "a stopped gateway on both boards", LIMIT)
        self.refuses_at_once(car, "offline")
        restarted, frames = stamp(), []
        Ear(self.fleet, self.fleet.servers[0].mqtt, [f"sondygo/{car.name}/position"],
            lambda at, retained, topic, payload: retained or not payload or frames.append(json.loads(payload)["time"]),
            user="desk")
        car.drive(self.program, "--seed", "7", "--launch-delay", "1")
        wait_until(lambda: self.reach(car) == {"ok"} and max(frames, default="") > restarted, "a restarted gateway", LIMIT)
        check("a car that was restarted in the flight sends on, and is shown again", True)

    def twins(self):
        wait_until(lambda: all(board.car(self.twin_boxes[0].name).get("twice") for board in self.both), "an id twice", LIMIT)
        check("two boxes with one id are shown", True)
        # Their gateways stop. Their mosquittos go on, and send the last values again whenever a bridge gets through.
        self.is_over = True

    def wrong_clock(self):
        name = self.late.name

        def shown(board):
            at = [sonde["position"]["at"] for sonde in board.shown["sondes"].values()
                  if (sonde["position"] or {}).get("car") == name]
            return abs((board.car(name).get("clock_off_s") or 0) - AHEAD) < 10 and at and stamp(-15) < at[0] < stamp(5)

        wait_until(lambda: all(shown(board) for board in self.both), "a wrong clock, and times without it", LIMIT)
        check("a car whose clock is an hour ahead is shown, its frames by the board's clock", True)

    def after_the_outages(self):
        """The boards come back by themselves, and show the same again."""
        wait_until(lambda: all(board.hears_broker for board in self.both), "the boards' broker", LIMIT)
        for car in self.hunters:
            wait_until(lambda: self.reach(car) == {"ok"}, f"{car.name} on both boards", LIMIT)
        self.boards_show_the_same("both boards show the same again")
        self.stopped_twins()

    def stopped_twins(self):
        car = self.twin_boxes[0]
        wait_until(lambda: self.reach(car) <= {"silent", "unconnected"}, "stopped gateways with one id on both boards", LIMIT)
        shown = []
        for _ in range(40):
            shown += [board.car(car.name) for board in self.both]
            time.sleep(0.5)
        reaches = {one["reach"] for one in shown}
        check(f"two stopped gateways with one id stay away for 20 s {reaches}, still marked, their clock right",
              "ok" not in reaches and all(one["twice"] and one["clock_off_s"] is None for one in shown))
        for box in self.twin_boxes:
            box.broker.kill()

    def holes(self):
        """The longest time without a frame of the car whose mosquitto was away, in the stream."""
        name = self.hunters[1].name
        times, hole = [], 0

        def is_whole():
            nonlocal times, hole
            times = sorted(
                json.loads(payload)["time"] for topic, payload in history(self.fleet)
                if topic.startswith(f"sondygo/{name}/") and topic.endswith("position") and payload)
            instants = [time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) for text in times]
            hole = max((later - earlier for earlier, later in zip(instants, instants[1:])), default=0)
            return len(times) > 20 and hole <= 3

        try:
            wait_until(is_whole, "each frame", 60)
        except TimeoutError:
            pass
        check(f"the stream has each frame of a car whose mosquitto was away: {len(times)}, longest pause {hole:.0f} s",
              is_whole())
