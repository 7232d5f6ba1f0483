"""Independent clients of all feeds: feed_clients.py SECONDS BROKER RDZ HORUS GDL90 ROCKET [CAR] (ports). Listens for a
while, then compares each number of the feeds with MQTT. Prints how many messages of each feed it compared, and last the
differences. Written from the formats' own documents."""
import collections
import datetime
import json
import select
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from chasemapper import ChaseMapper
from feed_port import connect

seconds, broker, rdz_port, horus_port, gdl90_port, rocket_port = map(int, sys.argv[1:7])
car_port = int(sys.argv[7]) if len(sys.argv) > 7 else None
faults = []
positions, radios, chases = [], [], []


def fault(text):
    faults.append(text)


# --- Finding a published message by time or by place

def milliseconds(text):
    return round(datetime.datetime.fromisoformat(text[:-1] + "+00:00").timestamp() * 1000)


def at_second(second):
    return [p for p in positions if milliseconds(p["time"]) // 1000 == second]


def at_place(latitude, longitude, tolerance):
    return [p for p in positions
            if abs(p["latitude"] - latitude) <= tolerance and abs(p["longitude"] - longitude) <= tolerance]


def compare(feed, message, candidates, *fields):
    """One of the candidates must match all fields: (received value, key of the report, factor to the peer's unit,
    tolerance). If the report lacks the key, any value is accepted, because it is computed from the track. Texts must be
    equal."""
    def agrees(report):
        for told, key, factor, tolerance in fields:
            wanted = report[key]
            if wanted is None:
                continue
            if isinstance(wanted, str) and told != wanted:
                return False
            if not isinstance(wanted, str) and (told is None or abs(told - wanted * factor) > tolerance):
                return False
        return True
    if not any(map(agrees, candidates)):
        fault(f"{feed}: {message}, not one of {candidates[:3]}")


# --- rdzJSON: lines, cut at the closing brace

class RDZ:
    name, needed = "rdz", 40

    def __init__(self):
        self.source, self.rest = connect(rdz_port), b""
        self.messages = []

    def read(self):
        *lines, self.rest = (self.rest + self.source.recv(65536)).split(b"\n")
        for line in lines:
            if line.count(b"}") != 1:
                fault(f"rdz: {line}")
            self.messages.append(json.loads(line))

    def check(self, m):
        if m["res"] == 1 and m["validPos"] == 0:
            return
        if m["validPos"] & 7 != 7 or m["validPos"] & 0x80 or m["res"] or not m["validId"]:
            return fault(f"rdz: not current: {m}")
        compare("rdz", m, at_second(m["time"]),
                (m["id"], "serial", 1, 0), (m["ser"], "serial", 1, 0), (m["type"], "sonde_type", 1, 0),
                (m["lat"], "latitude", 1, 1e-9), (m["lon"], "longitude", 1, 1e-9), (m["alt"], "altitude_m", 1, 1e-6),
                (m.get("hs"), "horizontal_speed_mps", 1, 0.0051), (m.get("speed"), "horizontal_speed_mps", 1, 0.0051),
                (m.get("vs"), "vertical_speed_mps", 1, 0.0051), (m.get("climb"), "vertical_speed_mps", 1, 0.0051),
                (m.get("temp"), "temperature_c", 1, 0.051))
        compare("rdz", m, radios, (-0.5 * m["rssi"], "rssi_dbm", 1, 1e-6))
        compare("rdz", m, radios, (m["freq"], "frequency_mhz", 1, 1e-6))
        if "gpslat" in m:
            compare("rdz", m, chases, (m["gpslat"], "latitude", 1, 1e-9), (m["gpslon"], "longitude", 1, 1e-9))


# --- Horus: chasemapper

class Horus:
    name, needed = "horus", 40

    def __init__(self):
        self.source, self.mapper = udp(horus_port), ChaseMapper()
        self.messages = []

    def read(self):
        data = self.source.recv(40000)
        shown = self.mapper.datagram(data)
        if shown:
            self.messages.append((json.loads(data), shown))

    def check(self, told):
        m, shown = told
        if shown["callsign"] != m["callsign"]:
            fault(f"horus: {shown}")
        compare("horus", m, at_second(round(shown["time"].timestamp())),
                (m["callsign"], "serial", 1, 0), (m["model"], "sonde_type", 1, 0),
                (shown["position"][0], "latitude", 1, 1e-9), (shown["position"][1], "longitude", 1, 1e-9),
                (shown["position"][2], "altitude_m", 1, 1e-6),
                (m["speed"], "horizontal_speed_mps", 3.6, 0.051), (m.get("vel_v"), "vertical_speed_mps", 1, 0.0051),
                (m.get("temp"), "temperature_c", 1, 0.051))
        if not (m["heading"] == -1 or 0 <= m["heading"] < 360):
            fault(f"horus: heading {m}")
        compare("horus", m, radios, (float(m["freq"].removesuffix(" MHz")), "frequency_mhz", 1, 1e-6))


class HorusCar:
    """The car's own port: chasemapper again. It accepts only cars."""
    name, needed = "car", 5

    def __init__(self):
        self.source, self.mapper = udp(car_port), ChaseMapper()
        self.messages = []
        self.at = []

    def read(self):
        data = self.source.recv(40000)
        if self.mapper.datagram(data):
            fault(f"horus: a sonde at the car's port: {data}")
        self.messages.append(json.loads(data))
        self.at.append(time.monotonic())

    def check(self, m):
        compare("car", m, chases, (m["latitude"], "latitude", 1, 1e-9), (m["longitude"], "longitude", 1, 1e-9),
                (m["altitude"], "altitude_m", 1, 0.051), (m.get("speed"), "speed_mps", 3.6, 0.051))


# --- GDL 90: the table of its document, and the fields in its units

TABLE = []
for number in range(256):
    value = number << 8
    for _ in range(8):
        value = (value << 1 ^ (0x1021 if value & 0x8000 else 0)) & 0xFFFF
    TABLE.append(value)


def signed(number, bits):
    return number - (1 << bits) if number >> (bits - 1) else number


class GDL90:
    name, needed = "gdl90", 40

    def __init__(self):
        self.source = udp(gdl90_port)
        self.messages = []

    def read(self):
        datagram = self.source.recv(2000)
        bodies = [self.unframed(part) for part in datagram.split(b"\x7e") if part]
        if [body[0] for body in bodies][:2] != [0, 0x65] or len(datagram) >= 1500:
            fault(f"gdl90: a second begins with {bodies}")
        beat = struct.unpack("<H", bodies[0][3:5])[0] | bodies[0][2] >> 7 << 16
        if not beat < 86400:
            fault(f"gdl90: second {beat} of the day")
        self.messages += [self.target(body) for body in bodies if body[0] == 20]

    @staticmethod
    def unframed(part):
        message, is_escaped = bytearray(), False
        for byte in part:
            if byte == 0x7D:
                is_escaped = True
                continue
            message.append(byte ^ 0x20 if is_escaped else byte)
            is_escaped = False
        body, given = bytes(message[:-2]), struct.unpack("<H", message[-2:])[0]
        crc = 0
        for byte in body:
            crc = TABLE[crc >> 8] ^ (crc << 8 & 0xFFFF) ^ byte
        if crc != given:
            fault(f"gdl90: checksum {given:04x}, not {crc:04x}, of {body.hex()}")
        return body

    @staticmethod
    def target(body):
        altitude = body[11] << 4 | body[12] >> 4
        knots = body[14] << 4 | body[15] >> 4
        climb = signed((body[15] & 15) << 8 | body[16], 12)
        return {
            "latitude": signed(int.from_bytes(body[5:8], "big"), 24) * 180 / 2**23,
            "longitude": signed(int.from_bytes(body[8:11], "big"), 24) * 180 / 2**23,
            "feet": altitude * 25 - 1000, "misc": body[12] & 15, "knots": None if knots == 0xFFF else knots,
            "fpm": None if climb == -2048 else climb * 64, "track": body[17] * 360 / 256, "emitter": body[18],
            "call_sign": body[19:27].decode().strip(), "address": body[2:5].hex()}

    def check(self, m):
        # Truncated to steps: 2^-23 of 180 degrees, 25 ft. Rounded: to a knot, to 64 ft/min.
        compare("gdl90", m, at_place(m["latitude"], m["longitude"], 180 / 2**23 * 1.001),
                (m["call_sign"], "serial", 1, 0), (m["feet"] + 12.5, "altitude_m", 1 / 0.3048, 12.51),
                (m["knots"], "horizontal_speed_mps", 3600 / 1852, 0.51),
                (m["fpm"], "vertical_speed_mps", 60 / 0.3048, 32.1))
        if m["emitter"] not in (10, 11):
            fault(f"gdl90: category {m['emitter']}")


# --- The recovery app: lines

class Rocket:
    name, needed = "rocket", 40

    def __init__(self):
        self.source, self.rest = connect(rocket_port), b""
        self.messages, self.links = [], []

    def read(self):
        *lines, self.rest = (self.rest + self.source.recv(65536)).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message["type"] == "link":
                self.links.append(message["status"])
            elif message["type"] == "tel" and message["sats"]:
                self.messages.append(message)

    def check(self, m):
        compare("rocket", m, at_place(m["lat"], m["lon"], 1e-9),
                (m["alt"], "altitude_m", 1, 1e-6), (m.get("gspd"), "horizontal_speed_mps", 1, 0.0051),
                (m.get("vel"), "vertical_speed_mps", 1, 0.0051), (m.get("temp"), "temperature_c", 1, 0.051),
                (m.get("pres"), "pressure_hpa", 100, 0.51))
        if m["t"] != m["time"] or m["sat"] != m["sats"] or m.get("hdg") != m.get("ghdg"):
            fault(f"rocket: {m}")


# --- Listening

def udp(port):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", port))
    return server


published = subprocess.Popen(
    ["mosquitto_sub", "-p", str(broker), "-v", "-t", "sondygo/+/position", "-t", "sondygo/+/radio", "-t",
     "sondygo/+/chase"], stdout=subprocess.PIPE)
horus, rocket, car = Horus(), Rocket(), HorusCar() if car_port else None
clients = [horus, GDL90(), RDZ(), rocket] + ([car] if car else [])
sources = {client.source: client for client in clients}
rest = b""
end = time.monotonic() + seconds
# The last messages may still be on their way over MQTT: read for another second.
while time.monotonic() < end + 1:
    heard = [] if time.monotonic() >= end else list(sources)
    for source in select.select(heard + [published.stdout], [], [], 0.2)[0]:
        if source is not published.stdout:
            sources[source].read()
            continue
        *lines, rest = (rest + source.read1(65536)).split(b"\n")
        for line in lines:
            topic, payload = line.split(b" ", 1)
            report = json.loads(payload)
            if topic.endswith(b"chase"):
                chases += [report["car"]] if report["car"] else []
            else:
                (positions if topic.endswith(b"position") else radios).append(report)
published.kill()
for client in clients:
    for message in client.messages:
        try:
            client.check(message)
        except (KeyError, TypeError, ValueError) as error:
            fault(f"{client.name}: {error!r} in {message}")
    if len(client.messages) < client.needed:
        fault(f"{client.name}: only {len(client.messages)} messages")
    print(client.name, len(client.messages))
for client in (horus, car):
    for text in client.mapper.faults if client else []:
        fault(f"chasemapper: {text}")
# On average chasemapper's own rate equals the sonde's. Compared once it has seen both directions.
rates = collections.defaultdict(list)
for message, shown in horus.messages:
    if abs(message.get("vel_v", 0)) > 2:
        rates[message["vel_v"] > 0].append(shown["ascent_rate"])
for is_climbing, found in rates.items():
    if (sorted(found)[len(found) // 2] > 0) != is_climbing:
        fault(f"chasemapper: climbs at {found} where the sonde {'climbs' if is_climbing else 'falls'}")
# The car's position comes at least every 10 s while it is known.
if car and any(b - a > 11.5 for a, b in zip(car.at, car.at[1:])):
    fault("car: silent for more than 10 s")
if "connected" not in rocket.links:
    fault("rocket: no link")
print("positions", len(positions))
print("climbing and falling", {(p["vertical_speed_mps"] or 0) > 0 for p in positions} == {True, False})
print("\n".join(faults[:20]) or "the same")
