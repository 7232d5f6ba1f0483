#!/usr/bin/env python3
"""A whole evening of the real program beside a fake SondeHub, printed as text: plan, launch, chase, deaf receiver,
landing, and the recovery by another crew. It takes half an hour.

  evening.py           prints each event, and the reports that a crew looks at; what is said aloud is marked

GATEWAY names the program (default: the release build of this checkout).
"""

import json
import math
import os
import socket
import subprocess
import time
from datetime import datetime, timedelta, timezone

from endurance import PROGRAM, Satellites
from network import Sky, record

HOME = (46.87, 7.10)
SITE = (46.81, 6.94)
# The wind carries the sonde to the east, metres a second.
WIND = 9.0
GROUND, BURST, CLIMB, FALL = 490.0, 4200.0, 6.0, 6.5
# The receiver in the car is deaf below this altitude, and SondeHub's stations are.
DEAF, LOST = 1500.0, 800.0
METRES = 111_195.0


def east(place, metres):
    return place[0], place[1] + metres / METRES / math.cos(math.radians(place[0]))


def iso(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Flight:
    """The sonde at each second after the launch."""

    burst = (BURST - GROUND) / CLIMB
    landing = burst + (BURST - GROUND) / FALL

    def at(self, second):
        airborne = min(max(0, second), self.landing)
        height = GROUND + CLIMB * airborne if airborne < self.burst else BURST - FALL * (airborne - self.burst)
        place = east(SITE, WIND * airborne)
        climb = 0 if second <= 0 or second >= self.landing else CLIMB if airborne < self.burst else -FALL
        return place, max(GROUND, height), climb


def plan(launch):
    """A launch as a crew reads it: shall we go?"""
    text = f"{launch['name']} {launch['launch_at'][11:16]}: "
    if not launch["landing"]:
        return text + "nobody has predicted it yet"
    minutes = round(launch["margin_s"] / 60)
    return text + (
        f"lands {launch['landing']['at'][11:16]}, {launch['distance_m'] / 1000:.0f} km from here, within "
        f"{launch['landing']['radius_m'] / 1000:.0f} km; {launch['drive_s'] / 60:.0f} minutes to drive, "
        + (f"{minutes} minutes left" if minutes >= 0 else f"{-minutes} minutes too late"))


def lines(name, report):
    """What a report says, as the page shows it."""
    if name == "launches":
        return [plan(launch) for launch in report["launches"]]
    if name == "crews":
        return [f"{crew['callsign']} is {crew['distance_to_landing_m'] / 1000:.1f} km from the landing point"
                for crew in report if crew["distance_to_landing_m"] is not None]
    if name == "recovery" and report:
        waits = ", not sent yet" if report["queued"] else ""
        return [f"{report['serial']} {report['state']} by {report['by']} ({report['note']}){waits}"]
    if name == "command/response":
        return [report["status"] + (f": {report['error']}" if report.get("error") else "")]
    return []


class Evening(Sky):
    """Prints the events. Plays the sonde, the receiver, the car, SondeHub and the other crew."""

    def __init__(self):
        self.begun = time.monotonic()
        self.flight_of, self.car, self.course, self.shown = Flight(), HOME, 0.0, {}
        self.launch = (datetime.now(timezone.utc) + timedelta(seconds=130)).replace(second=0, microsecond=0)
        self.receiver = socket.create_server(("127.0.0.1", 0))
        self.gps = Satellites()
        super().__init__(
            "evening", "silent", SONDYGO_RECEIVER_PORT=str(self.receiver.getsockname()[1]),
            SONDYGO_PREDICTION_ENABLED="true", SONDYGO_PREDICTION_BURST_ALTITUDE=str(BURST),
            SONDYGO_GPSD_ENABLED="true", SONDYGO_GPSD_PORT=str(self.gps.port),
            SONDYGO_SONDEHUB_CALLSIGN="HB9XYZ", SONDYGO_SONDEHUB_CREWS="true", SONDYGO_SONDEHUB_ALARM_KM="30",
            SONDYGO_SONDEHUB_LATITUDE=str(HOME[0]), SONDYGO_SONDEHUB_LONGITUDE=str(HOME[1]))
        self.stream = subprocess.Popen(
            ["mosquitto_pub", "-p", str(self.broker_port), "-t", "sondes/V4210150", "-l"], stdin=subprocess.PIPE,
            text=True, bufsize=1)
        self.link = self.receiver.accept()[0]

    def fill(self, state):
        super().fill(state)
        # Sondes start 45 minutes before the hour that SondeHub lists.
        hour = self.launch + timedelta(minutes=45)

        def site(station, name, place, burst):
            return {station: {
                "station": station, "rs_types": [["41", "403.5"]], "position": [place[1], place[0]], "alt": GROUND,
                "station_name": name, "times": [f"0:{hour.hour}:{hour.minute}"], "burst_altitude": burst,
                "burst_std": 300, "ascent_rate": CLIMB, "descent_rate": FALL, "descent_std": 0.5}}

        self.write("sites", site("06610", "Payerne", SITE, BURST) | site("16080", "Milano", (45.43, 9.28), 30_000))
        (self.folder / "answers/wind").write_text(str(WIND))
        self.write("crews", {})
        self.write("recovered", [])

    def note(self, arrived, topic, payload):
        super().note(arrived, topic, payload)
        name = topic.removeprefix("sondygo/evening/")
        if name == "event":
            event = json.loads(payload)
            self.say(f"{'says' if event['speak'] else '    '}  {event['text']}")
        elif payload:
            news = lines(name, json.loads(payload) if payload[0] in "{[" else payload)
            for line in news:
                if line not in self.shown.get(name, []):
                    self.say(f"      [{name}] {line}")
            self.shown[name] = news

    def say(self, text):
        print(f"{datetime.now(timezone.utc):%H:%M:%S}  {text}", flush=True)

    def frame(self, second, now):
        place, height, climb = self.flight_of.at(second)
        return record(
            "V4210150", now, *place, round(height, 1), climb, vel_h=WIND, heading=90, uploader_callsign="HB9ABC",
            uploader_position="46.9,7.3", uploader_alt=700)

    def second(self, track):
        now = datetime.now(timezone.utc)
        second = (now - self.launch).total_seconds()
        place, height, climb = self.flight_of.at(second)
        is_airborne = 0 < second < self.flight_of.landing
        if is_airborne and height > 700 and (second < self.flight_of.burst or height > DEAF):
            text = (f"1/RS41/403.500/V4210150/{place[0]:.5f}/{place[1]:.5f}/{height:.1f}/{WIND * 3.6:.1f}/{climb:.1f}"
                    "/100.5/80/0/0/0/4000/0/0/0/0/3.10/o\r\n")
        else:
            text = "0/RS41/403.500/128.0/80/4000/0/3.10/o\r\n"
        self.link.sendall(text.encode())
        if is_airborne and (height > LOST or second < self.flight_of.burst):
            heard = self.frame(second - 3, now - timedelta(seconds=3))
            track[heard["datetime"]] = heard
            self.stream.stdin.write(json.dumps(heard) + "\n")
            if int(second) % 60 == 0:
                self.write("site", {"V4210150": heard})
                self.write("track", {"V4210150": track})
        self.drive(second)

    def drive(self, second):
        """The car sets out a minute after the launch and stops a kilometre before the landing."""
        goal = east(self.flight_of.at(self.flight_of.landing)[0], -1000)
        away = (goal[0] - self.car[0]) * METRES, (goal[1] - self.car[1]) * METRES * math.cos(math.radians(goal[0]))
        distance = math.hypot(*away)
        speed = 18.0 if second > 60 and distance > 20 else 0.0
        if speed:
            north, right = (part / distance * min(speed, distance) for part in away)
            self.car = east((self.car[0] + north / METRES, self.car[1]), right)
            self.course = math.degrees(math.atan2(right, north)) % 360
        fix = {"class": "TPV", "device": "/dev/ttyACM0", "mode": 3, "time": iso(datetime.now(timezone.utc)),
               "lat": self.car[0], "lon": self.car[1], "altMSL": 480.0, "alt": 480.0, "eph": 5.0, "speed": speed,
               "track": self.course}
        for client in list(self.gps.clients):
            try:
                self.gps.say(client, self.gps.sky, fix)
            except OSError:
                self.gps.clients.remove(client)

    def other_crew(self, is_there):
        now = datetime.now(timezone.utc)
        place = self.flight_of.at(self.flight_of.landing)[0]
        position = east(place, 60 if is_there else -6000)
        self.write("crews", {"HB9ABC": {iso(now): {
            "uploader_callsign": "HB9ABC", "uploader_position": [position[0], position[1], 480], "mobile": True,
            "ts": now.replace(tzinfo=None).isoformat()}}})

    def recovered(self):
        place = self.flight_of.at(self.flight_of.landing)[0]
        report = {"serial": "V4210150", "lat": place[0], "lon": place[1], "alt": GROUND, "recovered": True,
                  "planned": False, "recovered_by": "HB9ABC", "description": "on a field",
                  "datetime": iso(datetime.now(timezone.utc))}
        self.write("recovered", [report])
        subprocess.run(["mosquitto_pub", "-p", str(self.broker_port), "-t", "recovery/V4210150", "-m",
                        json.dumps(report)], check=True)

    def command(self, text):
        self.say(f"      [command] {text}")
        super().command(text)


def evening():
    world, track = Evening(), {}
    landing = world.flight_of.landing
    end = landing + 420
    # Seconds after the launch: what happens then, once.
    script = [
        (-1000, lambda: world.command('{"request":"launches"}')),
        (60, lambda: world.say("      (we go: the car sets out)")),
        (300, lambda: world.command('{"request":"status"}')),
        (landing - 150, lambda: world.command('{"request":"status"}')),
        (landing - 60, lambda: world.command('{"recovery":{"state":"planned","note":"on the way"}}')),
        (landing + 300, world.recovered)]
    while True:
        second = (datetime.now(timezone.utc) - world.launch).total_seconds()
        world.second(track)
        if time.monotonic() - world.begun > 8:
            while script and second >= script[0][0]:
                script.pop(0)[1]()
        if second > 200:
            world.other_crew(second > landing + 60)
        if second > end:
            break
        time.sleep(1)
    environment = {
        **os.environ, "SONDYGO_GATEWAY_ID": "evening",
        "SONDYGO_GATEWAY_STATE_DIRECTORY": str(world.folder / "evening")}
    print(subprocess.run([PROGRAM, "flights"], env=environment, capture_output=True, text=True).stdout)
    print("exit", world.end())


if __name__ == "__main__":
    evening()
