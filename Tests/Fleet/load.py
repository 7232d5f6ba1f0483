#!/usr/bin/env python3
"""Plays many cars at once. Records the messages of one real gateway for a minute or two, and publishes them for each car,
under the car's own name and with its own sonde.

  load.py board [CARS] [SECONDS]              CARS (default 200) with a frame a second on one mosquitto, and the board: its CPU,
                                              its memory, and how late a frame is on its page
  load.py car [SECONDS]                       one real gateway with a car through its bridge (default 300 s): the bytes and
                                              packets between it and the server
  load.py bridges [CARS] [SECONDS] [BRIDGES]  CARS (default 1000) with a frame each five seconds through BRIDGES (default 20)
                                              into three servers: what arrives, how late, and what it costs
PROGRAM names the program (default: the release build of this checkout).
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
from datetime import datetime

import paho.mqtt.client as mqtt

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "deploy/fleet"), str(ROOT / "Tests")]
from checks import stamp  # noqa: E402
from cut import KEPT  # noqa: E402
from endurance import usage  # noqa: E402
from local_fleet import Board, Car, Ear, LocalFleet, wait_until  # noqa: E402

PROGRAM = os.environ.get("PROGRAM", str(ROOT / ".build-static/release/sondygo2mqtt"))
# With each frame, and what comes once.
EACH, ONCE = ["position", "radio", "flight", "chase", "state"], ["bridge/state", "health", "landing", "prediction", "track"]


def record(car):
    """What a gateway with a car publishes, topic -> message."""
    said = {}
    Ear(car.fleet, car.port, ["sondygo/#"], lambda at, retained, topic, text: said.update({topic.split("/", 2)[2]: text}))
    car.drive(PROGRAM, "--seed", "3", "--launch-delay", "1", "--car")
    wait_until(lambda: all(said.get(topic) for topic in EACH + ONCE), "one of each message", 150)
    recorded = {topic: said[topic] for topic in EACH + ONCE}
    car.park()
    return recorded


class Crowd:
    """Cars that share a connection to a mosquitto."""

    def __init__(self, port, cars, said, period):
        self.cars, self.period, self.sent, self.is_over = cars, period, 0, False
        self.said = {topic: text if topic == "bridge/state" else json.loads(text) for topic, text in said.items()}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.max_queued_messages_set(0)
        self.client.max_inflight_messages_set(100)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def say(self, number, topic):
        message = self.said[topic]
        if isinstance(message, dict):
            now = stamp()
            message = json.dumps({
                key: f"S{number:07}" if key == "serial" else now if key in ("time", "received_at", "at") else value
                for key, value in message.items()}, separators=(",", ":"))
        self.client.publish(f"sondygo/crowd-{number}/{topic}", message, qos=0 if topic == "health" else 1, retain=True)

    def run(self):
        for number in self.cars:
            for topic in ONCE:
                self.say(number, topic)
        begin, frame = time.monotonic(), 0
        while not self.is_over:
            for place, number in enumerate(self.cars):
                due = begin + (frame + place / len(self.cars)) * self.period
                time.sleep(max(0, due - time.monotonic()))
                if self.is_over:
                    return
                for topic in EACH:
                    self.say(number, topic)
                self.sent += 1
            frame += 1

    def end(self):
        self.is_over = True
        self.thread.join(60)


def lateness(text):
    return time.time() - datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def told(late):
    late = sorted(late) or [float("nan")]
    return (f"{late[len(late) // 2] * 1000:.0f} ms in the median, {late[len(late) * 99 // 100] * 1000:.0f} ms for 99 of 100, "
            f"{late[-1] * 1000:.0f} ms at worst")


def shown_late(board, late):
    """Notes how old each position is when it comes to the board's page."""
    hear = board.hear

    def hears(name, data):
        if name == "sondes":
            late.extend(lateness(sonde["position"]["at"]) for sonde in data if sonde["position"])
        hear(name, data)

    board.hear = hears


def board(cars=200, seconds=60):
    cars, seconds = int(cars), float(seconds)
    with LocalFleet(["car1"], servers=0) as fleet:
        box = Car(fleet, "car1", "box", [9])
        config = box.folder / "mosquitto.conf"
        config.write_text(config.read_text().split("connection fleet")[0] + "max_queued_messages 0\n")
        box.start()
        said = record(box)
        page = Board(fleet, PROGRAM)
        yaml = page.folder / "board.yaml"
        text = yaml.read_text().split("mqtt:")[0]
        yaml.write_text(text + f"mqtt: {{host: 127.0.0.1, port: {box.port}}}\n")
        late = []
        page.start()
        shown_late(page, late)
        crowds = [Crowd(box.port, range(first, min(first + 50, cars)), said, 1) for first in range(0, cars, 50)]
        for crowd in crowds:
            crowd.thread.start()
        wait_until(lambda: len(page.shown["cars"]) >= cars and len(page.shown["sondes"]) >= cars, "all cars on the board")
        # The first messages of all cars at once are not measured.
        time.sleep(10)
        late.clear()
        before, began, sent = usage(page.process)[3], time.monotonic(), sum(crowd.sent for crowd in crowds)
        time.sleep(seconds)
        memory, _, _, cpu = usage(page.process)
        took = time.monotonic() - began
        rate = (sum(crowd.sent for crowd in crowds) - sent) / took
        print(f"{cars} cars, {rate:.0f} frames/s with {len(EACH)} messages each, one page open: the board uses "
              f"{100 * (cpu - before) / took:.0f} % of a core and {memory:.0f} MB; a frame is on the page after {told(late)}")
        for crowd in crowds:
            crowd.end()


def carried(box):
    """Bytes and TCP segments that the car's stunnel has sent to the servers, and received from them."""
    lines = subprocess.run(["ss", "-tinpHO"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = dict.fromkeys(("bytes_sent", "segs_out", "bytes_received", "segs_in"), 0)
    for line in lines:
        address = line.split()[4].rpartition(":")[2]
        if f"pid={box.tunnel.pid}," in line and int(address) in box.ports:
            for key in found:
                found[key] += int((re.search(rf" {key}:(\d+)", line) or [0, 0])[1])
    return found


def car(seconds=300):
    seconds = float(seconds)
    with LocalFleet(["car1"]) as fleet:
        fleet.start_servers()
        box = fleet.cars[0]
        box.start()
        heard = []
        Ear(fleet, fleet.servers[1].mqtt, ["sondygo/car1/#"],
            lambda at, retained, topic, text: retained or heard.append((topic.split("/", 2)[2], len(text))), user="desk")
        box.drive(PROGRAM, "--seed", "3", "--launch-delay", "1", "--car")
        wait_until(lambda: sum(topic == "position" for topic, _ in heard) >= 30, "frames through the bridge")
        heard.clear()
        before, began = carried(box), time.monotonic()
        time.sleep(seconds)
        after, took = carried(box), time.monotonic() - began
        said = list(heard)
        # IPv4, TCP and its timestamps: 52 bytes a segment.
        used = {key: (after[key] - before[key]) * 3600 / took for key in before}
        kinds = sorted({topic for topic, _ in said}, key=lambda kind: -sum(size for topic, size in said if topic == kind))
        largest = ", ".join(
            f"{kind} {sum(topic == kind for topic, _ in said)} x "
            f"{sum(size for topic, size in said if topic == kind) // sum(topic == kind for topic, _ in said)} bytes"
            for kind in kinds[:8])
        kept = sum(size for topic, size in said if topic in KEPT)
        print(f"one car for {took:.0f} s: an hour is {len(said) * 3600 / took:.0f} messages with "
              f"{sum(size for _, size in said) * 3600 / took / 1e6:.1f} MB, of which the history keeps "
              f"{kept * 3600 / took / 1e6:.1f} MB; its bridge sends "
              f"{used['bytes_sent'] / 1e6:.1f} MB of TLS and {(used['bytes_sent'] + 52 * used['segs_out']) / 1e6:.1f} MB of "
              f"packets, and receives {used['bytes_received'] / 1e6:.2f} and "
              f"{(used['bytes_received'] + 52 * used['segs_in']) / 1e6:.1f} MB; {largest}")


def bridges(cars=1000, seconds=60, count=20):
    cars, seconds, count = int(cars), float(seconds), int(count)
    names = [f"box{number}" for number in range(count)]
    with LocalFleet(names) as fleet:
        # Each box stands for many cars here.
        users = fleet.folder / "users" / "users.conf"
        users.write_text(re.sub(r'"sondygo\.box\d+\.[^"]+"', '"sondygo.>"', users.read_text()))
        fleet.start_servers()
        for box in fleet.cars:
            config = box.folder / "mosquitto.conf"
            lines = [line.replace(f"topic sondygo/{box.name}/", "topic sondygo/+/") if line.startswith("topic ") else line
                     for line in config.read_text().splitlines() if not line.endswith((" in 0", "# out 1"))]
            config.write_text("\n".join(lines) + "\n")
            box.start()
        fleet.cars[0].name = "box0"
        said = record(fleet.cars[0])
        heard, late = set(), []

        def hear(at, retained, topic, text):
            if not retained and "crowd" in topic:
                time_ = json.loads(text)["time"]
                heard.add((topic, time_))
                late.append(lateness(time_))

        Ear(fleet, fleet.servers[1].mqtt, ["sondygo/+/position"], hear, user="desk", session="load")
        size = -(-cars // count)
        crowds = [Crowd(box.port, range(number * size, min((number + 1) * size, cars)), said, 5)
                  for number, box in enumerate(fleet.cars)]
        for crowd in crowds:
            crowd.thread.start()
        # The first messages of all cars at once are not measured.
        time.sleep(20)
        late.clear()
        processes = [server.process for server in fleet.servers] + [box.broker for box in fleet.cars]
        before, began = [usage(process)[3] for process in processes], time.monotonic()
        sent, arrived = sum(crowd.sent for crowd in crowds), len(heard)
        time.sleep(seconds)
        took = time.monotonic() - began
        used = [usage(process) for process in processes]
        sent, arrived = sum(crowd.sent for crowd in crowds) - sent, len(heard) - arrived
        for crowd in crowds:
            crowd.end()
        total = sum(crowd.sent for crowd in crowds)
        try:
            wait_until(lambda: len(heard) >= total, "all positions", 120)
        except TimeoutError:
            pass
        cpu = [100 * (now[3] - then) / took for now, then in zip(used, before)]
        print(f"{cars} cars through {count} bridges: {sent / took:.0f} frames/s with {len(EACH)} messages each sent, "
              f"{arrived / took:.0f} frames/s arrive, {told(late)}; a server uses {sum(cpu[:3]) / 3:.0f} % of a core and "
              f"{max(one[0] for one in used[:3]):.0f} MB, a car's mosquitto {sum(cpu[3:]) / count:.1f} % and "
              f"{max(one[0] for one in used[3:]):.1f} MB; in the end {len(heard)} of {total} positions have arrived")
        return 0 if len(heard) == total else 1


if __name__ == "__main__":
    runs = {"board": board, "car": car, "bridges": bridges}
    if len(sys.argv) < 2 or sys.argv[1] not in runs:
        sys.exit(__doc__)
    sys.exit(runs[sys.argv[1]](*sys.argv[2:]))
