#!/usr/bin/env python3
"""Long runs of the real program on a bad network, beside a fake SondeHub with its live stream, with figures.

  network.py valley [SECONDS]  the network comes and goes every 20 s (default two hours)
  network.py drops [SECONDS]   the live stream is dropped every 3 s (default five minutes)
  network.py hostile [SECONDS] the stream's server misbehaves in each way of streampeer.py (default two minutes)
  network.py data [SECONDS]    calls and bytes in each state, polled and streamed (default half an hour)
  network.py stops             the time from SIGTERM to the end in each state of the network (as root; three minutes)
  network.py rates [SECONDS]   the age of live positions on lines of 300 to 8000 B/s (as root; default a minute each)

GATEWAY names the program (default: the release build of this checkout). Ends with 1 if 15 s in a row are missing in the
track (polls alone would have a point; in a valley of ten minutes or more: if a second is missing), if a published time
goes back, if the memory grows, if a stop takes longer than 5 s, or if a live position on a line of 1200 B/s or more is
older than 5 s.
"""

import collections
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone

from endurance import PROGRAM, Listener, free_port, start_broker, start_gateway, stop, usage, wait_until

SUPPORT = pathlib.Path(__file__).resolve().parent / "TestSupport"
sys.path.insert(0, str(SUPPORT))
from liveflight import record  # noqa: E402

# Anonymous memory may grow by this much after the first quarter of a run: the track itself grows.
GROWTH_MB = 6
# Polls would have a point every 15 s: no gap may be longer.
POLL = 15


class Link:
    """A link to a port of this machine. Counts bytes and calls. While it is down, bytes wait, and neither end gets an
    error."""

    def __init__(self, target):
        self.target, self.is_up = target, True
        self.sent = self.received = self.calls = 0
        self.pairs = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near = self.server.accept()[0]
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def used(self):
        """Bytes sent, bytes received, calls."""
        return self.sent, self.received, self.calls

    def wait(self):
        while not self.is_up:
            time.sleep(0.05)

    def carry(self, near):
        self.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return near.close()
        self.pairs = [pair for pair in self.pairs if pair[0].fileno() >= 0] + [(near, far)]
        threading.Thread(target=self.pump, args=(far, near, False), daemon=True).start()
        self.pump(near, far, True)

    def pump(self, source, sink, is_sent):
        try:
            while data := source.recv(65536):
                self.wait()
                if is_sent:
                    self.sent += len(data)
                    self.calls += data.count(b"GET /") + data.count(b"PUT /")
                else:
                    self.received += len(data)
                sink.sendall(data)
        except OSError:
            pass
        self.end((source, sink))

    def end(self, pair):
        for one in pair:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def cut(self):
        """Ends all connections, as a change of the network does."""
        for pair in self.pairs:
            self.end(pair)


class Child:
    """A server of the tests. Its first line is its port; the lines are kept."""

    def __init__(self, script, *arguments):
        self.lines = []
        self.process = subprocess.Popen(
            ["python3", str(SUPPORT / script), *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())


class Sky:
    """A broker, a SondeHub with a live stream, and a gateway that reaches both over links.

    `flight` is a sonde that SondeHub hears: for how long, how old its answers get, the climb, the first altitude."""

    def __init__(self, name, state, stream="good", flight=None, **more):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "answers").mkdir()
        self.broker_port = free_port()
        self.broker = start_broker(self.folder, self.broker_port)
        self.times, self.state, self.health = [], "", {}
        self.listener = Listener(self.broker_port, self.note)
        self.api = Child("sondehub.py", self.folder / "answers")
        self.peer = Child("streampeer.py", self.broker_port)
        self.links = [Link(self.api.port), Link(self.peer.port)]
        self.name, self.flight = name, None
        self.fill(state)
        if flight:
            self.flight = subprocess.Popen(
                ["python3", str(SUPPORT / "liveflight.py"), str(self.folder / "answers"), str(self.broker_port),
                 *map(str, flight)], stdout=subprocess.PIPE)
            self.flight.stdout.readline()
        address = "off" if stream == "off" else f"ws://127.0.0.1:{self.links[1].port}/{stream}"
        settings = dict(
            SONDYGO_RECEIVER_TRANSPORT="tcp", SONDYGO_RECEIVER_PORT="1", SONDYGO_DASHBOARD_ENABLED="false",
            SONDYGO_SONDEHUB_ENABLED="true", SONDYGO_SONDEHUB_STREAM=address,
            SONDYGO_SONDEHUB_SITE="06610",
            SONDYGO_SONDEHUB_URL=f"http://127.0.0.1:{self.links[0].port}/gzip",
            SONDYGO_PREDICTION_URL=f"http://127.0.0.1:{self.links[0].port}/gzip/tawhiri")
        self.gateway = start_gateway(self.folder, name, self.broker_port, **(settings | more))

    def note(self, _, topic, payload):
        if topic == f"sondygo/{self.name}/position" and payload:
            self.times.append(json.loads(payload)["time"])
        elif topic == f"sondygo/{self.name}/state" and payload:
            self.state = json.loads(payload)["state"]
        elif topic == f"sondygo/{self.name}/health":
            self.health = json.loads(payload)

    def write(self, kind, value):
        file = self.folder / "answers" / f"{kind}.json"
        file.with_suffix(".new").write_text(json.dumps(value))
        file.with_suffix(".new").rename(file)

    def fill(self, state):
        """SondeHub's answers, if no sonde flies: one that landed ten minutes ago, or none, and eight of the day."""
        now = datetime.now(timezone.utc)

        def past(serial, age, altitude, climb):
            return record(serial, now - timedelta(seconds=age), 46.9, 7.4, altitude, climb)

        day = {f"V42101{number}0": past(f"V42101{number}0", 40_000 + number, 600, -6) for number in range(8)}
        end = [past("V1", 600 + age, 600 + max(0, age - 60) * 6, -6 if age > 60 else 0) for age in range(180)]
        self.write("day", day)
        self.write("site", day | ({"V1": end[0]} if state == "landed" else {}))
        self.write("area", day)
        self.write("track", {"V1": {frame["datetime"]: frame for frame in end}} if state == "landed" else {})
        course = [{"time": int(now.timestamp()) + 60 * minute, "lat": 46.9, "lon": 7.4, "alt": 12_000 - 200 * minute}
                  for minute in range(55)]
        self.write("prediction", [
            {"vehicle": "V1", "time": now.isoformat(), "latitude": 46.9, "longitude": 7.4, "altitude": 12_000,
             "ascent_rate": 5.0, "descent_rate": 6.0, "burst_altitude": 33_000, "descending": 0, "landed": 0,
             "data": json.dumps(course)}])
        self.write("sites", {f"{number:05}": {
            "station": f"{number:05}", "rs_types": [["41", "403.5"]], "alt": 490, "station_name": f"Station {number}",
            "position": [6.94 + number % 40, 46.81 - number // 40], "times": ["0:11:00", "0:23:00"],
            "burst_altitude": 33_000, "burst_std": 2000, "ascent_rate": 5.2, "descent_rate": 6.1, "descent_std": 0.8}
            for number in range(800)})
        self.write("crews", {f"HB{number}": {now.isoformat(): {
            "uploader_callsign": f"HB{number}", "uploader_position": [46.9, 7.4, 480], "mobile": number % 10 == 0,
            "software_name": "radiosonde_auto_rx", "software_version": "1.8.1", "uploader_antenna": "1/4 wave monopole",
            "ts": now.isoformat()}} for number in range(300)})
        (self.folder / "answers/wind").write_text("9")

    def command(self, text):
        subprocess.run(["mosquitto_pub", "-p", str(self.broker_port), "-t", f"sondygo/{self.name}/command", "-m", text],
                       check=True)

    def calls(self):
        """The number of calls of each kind."""
        kinds = {
            "/site/": "site", "sondes?": "area", "listeners/": "crews", "telemetry": "track", "recovered": "recovered",
            "/sites": "sites", "tawhiri": "tawhiri", "predictions": "predictions"}
        return collections.Counter(
            next((kind for part, kind in kinds.items() if part in line), "other")
            for line in self.api.lines if line.startswith(("GET", "PUT")))

    def count_after(self, seconds, command=None):
        """Waits, notes how much the links have carried, and then gives a command."""
        time.sleep(seconds)
        self.counted, self.counted_at = [link.used() for link in self.links], time.monotonic()
        if command:
            self.command(command)

    def missing(self, flown):
        """The flown seconds that the recorded track lacks."""
        environment = {
            **os.environ, "SONDYGO_GATEWAY_ID": self.name,
            "SONDYGO_GATEWAY_STATE_DIRECTORY": str(self.folder / self.name)}
        text = subprocess.run(
            [PROGRAM, "export", "V1", "--format", "csv"], env=environment, capture_output=True, text=True, check=True)
        known = {line.split(",")[0][:19] for line in text.stdout.splitlines()[1:]}
        return sorted(flown - known)

    def end(self):
        code = stop(self.gateway)
        for process in (self.flight, self.api.process, self.peer.process, self.broker, self.listener.child):
            if process:
                process.kill()
        return code


def flown_seconds(sky):
    """The whole seconds that SondeHub has a frame of."""
    frames = json.loads((sky.folder / "answers/track.json").read_text()).get("V1", {})
    return {time[:19] for time in frames if "T" in time}


def longest_run(missing):
    """The most missing seconds in a row."""
    longest, run, last = 0, 0, None
    for moment in map(datetime.fromisoformat, missing):
        run = run + 1 if last and moment - last == timedelta(seconds=1) else 1
        longest, last = max(longest, run), moment
    return longest


def watch(sky, seconds, tick):
    """Lets the time pass; `tick` is called each second. Prints the memory each minute."""
    samples, begin = [], time.monotonic()
    for second in range(seconds):
        tick(second)
        if second % max(10, min(60, seconds // 8)) == 0:
            samples.append(usage(sky.gateway))
            print(f"{second} s: {samples[-1][0]:.1f} MB resident, {samples[-1][1]:.1f} MB anonymous, "
                  f"{samples[-1][2]} files, {samples[-1][3]:.1f} s CPU, {len(sky.times)} positions", flush=True)
        time.sleep(max(0, begin + second + 1 - time.monotonic()))
    return samples


def judge(sky, seconds, samples, most=POLL - 1):
    """Prints the figures of a flight of that many seconds. Returns whether they are good, with at most `most` seconds
    in a row missing."""
    wait_until(lambda: sky.flight.poll() is not None, 30)
    flown = flown_seconds(sky)
    # The last half minute may never come: nobody asks again for a sonde that has gone silent.
    limit = (datetime.fromisoformat(max(flown)) - timedelta(seconds=30)).isoformat()
    flown = {time for time in flown if time < limit}
    # What an answer from SondeHub's cache has left open is asked for again after five minutes.
    deadline = time.monotonic() + 450
    while longest_run(sky.missing(flown)) > most and time.monotonic() < deadline:
        time.sleep(5)
    early, late = samples[len(samples) // 4], samples[-1]
    connections = sum(line.startswith("open") for line in sky.peer.lines)
    calls = sky.calls()
    is_sorted = all(a < b for a, b in zip(sky.times, sky.times[1:]))
    missing = sky.missing(flown)
    code = sky.end()
    hourly = {kind: round(count * 3600 / seconds) for kind, count in sorted(calls.items())}
    print(f"{seconds} s: {len(sky.times)} positions published, times {'only grow' if is_sorted else 'GO BACK'}; "
          f"{len(missing)} of {len(flown)} seconds missing in the track, {longest_run(missing)} in a row; resident "
          f"{early[0]:.1f} -> {late[0]:.1f} MB, anonymous {early[1]:.1f} -> {late[1]:.1f} MB, files {early[2]} -> "
          f"{late[2]}; an hour: calls {hourly}, {round(connections * 3600 / seconds)} connections of the stream, MB "
          f"down {[round(link.received * 3600 / seconds / 1e6, 1) for link in sky.links]}; exit {code}", flush=True)
    is_flat = late[1] - early[1] < GROWTH_MB
    return is_sorted and longest_run(missing) <= most and code == 0 and is_flat and bool(sky.times)


def valley(seconds=7200):
    seconds = int(seconds)
    # SondeHub's answers are up to two minutes old.
    flight = (seconds, 10 if seconds < 600 else 120, 1)
    sky = Sky("valley", "silent", flight=flight, SONDYGO_SONDEHUB_HUNT="V1")

    def tick(second):
        is_up = second // 20 % 2 == 0 or second > seconds - 40
        for link in sky.links:
            if link.is_up and not is_up and second // 40 % 2:
                link.cut()
            link.is_up = is_up

    return judge(sky, seconds, watch(sky, seconds, tick), POLL - 1 if seconds < 600 else 0)


def drops(seconds=300):
    seconds = int(seconds)
    flight = (seconds, 10 if seconds < 200 else 60, 5)
    sky = Sky("drops", "silent", "drop/3", flight, SONDYGO_SONDEHUB_HUNT="V1")
    return judge(sky, seconds, watch(sky, seconds, lambda second: None))


HOSTILE = (
    "good", "silent", "mute", "half", "flood/10000", "huge", "hugepacket", "bytes", "pings", "pingflood", "qos/1",
    "text", "garbage", "eager", "html", "refused", "badkey", "drop/3", "close/1000", "close/1011", "close/4999")


def hostile(seconds=120):
    """SondeHub's stream is bad, and its answers to polls are good."""
    seconds, skies, is_good = int(seconds), {}, True
    for stream in HOSTILE:
        skies[stream] = Sky("hostile", "silent", stream, (seconds + 120, 10, 5))
    time.sleep(40)
    before = {stream: (usage(sky.gateway), len(sky.times)) for stream, sky in skies.items()}
    time.sleep(seconds)
    print("the server    connections  frames  dropped  positions  % of a core  MB anonymous")
    for stream, sky in skies.items():
        was, now, positions = before[stream][0], usage(sky.gateway), len(sky.times) - before[stream][1]
        connections = sum(line.startswith("open") for line in sky.peer.lines)
        wait_until(lambda: sky.health, 30)
        counts = sky.health["sondehub_stream"]
        print(f"{stream:<13} {connections:11} {counts['messages']:7} {counts['drops']:8} {positions:10} "
              f"{(now[3] - was[3]) * 100 / seconds:12.2f}  {was[1]:.1f} -> {now[1]:.1f}", flush=True)
        is_good = sky.end() == 0 and positions > 0 and now[1] - was[1] < GROWTH_MB and is_good
    return is_good


HOME = {"SONDYGO_SONDEHUB_LATITUDE": "46.87", "SONDYGO_SONDEHUB_LONGITUDE": "7.1"}
# What happens in each state: climb and first altitude of the sonde that SondeHub hears, what the receiver does, a
# command, and settings.
STATES = {
    "switched off": {
        "flight": (5, 12_000), "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_PREDICTION_ENABLED": "false"},
    "idle": {},
    "search": {"receiver": "deaf", "SONDYGO_RECEIVER_SEARCH": "403.5 RS41, 404.2 RS41"},
    "around": HOME | {"SONDYGO_SONDEHUB_AROUND": "true"},
    "launches": HOME | {"SONDYGO_SONDEHUB_ALARM_KM": "30", "SONDYGO_SONDEHUB_SITE": "00000"},
    "sought": {"SONDYGO_SONDEHUB_HUNT": "V2"},
    "heard": {"flight": (5, 12_000), "receiver": "hears"},
    "deaf": {"flight": (5, 12_000), "receiver": "goes deaf"},
    "ascent": {"flight": (5, 12_000)},
    "and around": HOME | {"flight": (5, 12_000), "SONDYGO_SONDEHUB_AROUND": "true"},
    "and crews": {"flight": (5, 12_000), "SONDYGO_SONDEHUB_CREWS": "true"},
    "descent": {"flight": (-2, 5000)},
    "landed": {"is": "landed"},
    "recovery": {
        "is": "landed", "SONDYGO_SONDEHUB_CALLSIGN": "HB9XYZ", "command": '{"recovery":{"state":"recovered"}}'},
}


def data(seconds=1800):
    seconds, start, skies = int(seconds), 60, {}
    for state, more in STATES.items():
        settings = {name: value for name, value in more.items() if name.isupper()}
        has_sonde = more.keys() & {"flight", "is", "SONDYGO_SONDEHUB_HUNT"}
        for way in ("polled", "streamed") if has_sonde else ("either",):
            receiver = socket.create_server(("127.0.0.1", 0))
            if "receiver" in more:
                settings["SONDYGO_RECEIVER_PORT"] = str(receiver.getsockname()[1])
            stream = "off" if way == "polled" else "good"
            flight = (seconds + 120, 60, *more["flight"]) if "flight" in more else None
            skies[state, way] = sky = Sky("data", more.get("is", "silent"), stream, flight, **settings)
            if "receiver" in more:
                link = receiver.accept()[0]
                threading.Thread(target=talk, args=(link, more["receiver"]), daemon=True).start()
            # What the start costs, and what an hour costs from then on.
            threading.Thread(target=sky.count_after, args=(start, more.get("command")), daemon=True).start()
    time.sleep(start + seconds)
    print("state        way       at start: calls  kB down   an hour: calls  kB up  kB down  of these the stream")
    for (state, way), sky in skies.items():
        first, *links = sky.counted, *(link.used() for link in sky.links)
        elapsed = time.monotonic() - sky.counted_at
        hourly = [[(now - was) * 3600 / elapsed for now, was in zip(*pair)] for pair in zip(links, first)]
        print(f"{state:<12} {way:<9} {first[0][2]:15} {(first[0][1] + first[1][1]) / 1e3:8.0f} {hourly[0][2]:16.0f} "
              f"{(hourly[0][0] + hourly[1][0]) / 1e3:6.0f} {(hourly[0][1] + hourly[1][1]) / 1e3:8.0f} "
              f"{hourly[1][1] / 1e3:10.0f}   {sky.state} {dict(sky.calls())}", flush=True)
    return all(sky.end() == 0 for sky in skies.values())


# A state of the network: how lossypath.py begins, the settings, and the signal that the broker gets before the stop.
FAR = {"SONDYGO_MQTT_HOST": "10.9.0.2"}
DEAF = {"SONDYGO_MQTT_HOST": "127.0.0.1"}
STATES = {
    "all is well": (["good"], FAR),
    "no network device at all": (["unshare", "--net"], FAR),
    "the broker's port is closed": (["good"], {**FAR, "SONDYGO_MQTT_PORT": "1"}),
    "the broker accepts and says nothing": ([], {**DEAF, "silent": "plain"}),
    "the same, in the TLS handshake": ([], {**DEAF, "silent": "TLS", "SONDYGO_MQTT_TLS_ENABLED": "true"}),
    "every packet is swallowed from the start": (["dead:0"], FAR),
    "every packet is swallowed after 8 s": (["dead:8"], FAR),
    "large packets are swallowed": (["large:600"], FAR),
    "a line of 600 B/s": (["rate:600"], FAR),
    "SondeHub's packets are swallowed": (["good"], {**FAR, "SONDYGO_SONDEHUB_URL": "https://10.9.0.77"}),
    "the name servers are dead": (["dead:0", "names"], {"SONDYGO_MQTT_HOST": "broker.example"}),
}


def stops(seconds=12):
    """Each state has its own gateway, which is stopped after these seconds."""
    lab, worst = str(SUPPORT / "lossypath.py"), 0.0
    for name, (way, settings) in STATES.items():
        folder = pathlib.Path(tempfile.mkdtemp())
        settings = dict(settings)
        server = None
        if settings.pop("silent", None):
            server = socket.create_server(("127.0.0.1", 0))
            settings["SONDYGO_MQTT_PORT"] = str(server.getsockname()[1])
        command = [PROGRAM, "run", "--transport", "simulator"]
        if way == ["unshare", "--net"]:
            command = way + command
        elif way:
            if "names" in way:
                (folder / "resolv.conf").write_text("nameserver 10.9.0.77\n")
                command = ["unshare", "--mount", "sh", "-c",
                           f"mount --bind {folder}/resolv.conf /etc/resolv.conf && exec \"$@\"", "sh", *command]
            command = [sys.executable, lab, way[0], *command]
        environment = {
            **os.environ, "SONDYGO_GATEWAY_ID": "stops", "SONDYGO_GATEWAY_STATE_DIRECTORY": str(folder),
            "SONDYGO_DASHBOARD_ENABLED": "false", "SONDYGO_HOMEASSISTANT_ENABLED": "true", **settings}
        with open(folder / "log", "w") as log:
            gateway = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            wait_until(lambda: "starting sondygo2mqtt" in (folder / "log").read_text(), 60)
            time.sleep(float(seconds))
            began = time.monotonic()
            gateway.send_signal(signal.SIGTERM)
            code = gateway.wait(60)
        took = time.monotonic() - began
        worst = max(worst, took)
        print(f"{name:<42} {took:4.1f} s, exit code {code}", flush=True)
        if server:
            server.close()
    return worst < 5


# Bytes a second to the broker.
RATES = (300, 600, 900, 1200, 2000, 4000, 8000)


def rates(seconds=60):
    """Each line has its own gateway, which begins with everything that is published at the start."""
    command = [PROGRAM, "run", "--transport", "simulator"]
    is_good = True
    print("B/s   positions  age, median  95 of 100  largest  Home Assistant's device", flush=True)
    for rate in RATES:
        folder = tempfile.mkdtemp()
        environment = {
            **os.environ, **FAR, "SONDYGO_GATEWAY_ID": "rates", "SONDYGO_GATEWAY_STATE_DIRECTORY": folder,
            "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_DASHBOARD_ENABLED": "false"}
        lab = [sys.executable, str(SUPPORT / "lossypath.py"), f"rate:{rate}"]
        with open(f"{folder}/log", "w+") as log:
            began = time.time()
            gateway = subprocess.Popen(lab + command, env=environment, stdout=log, stderr=log)
            time.sleep(float(seconds))
            gateway.terminate()
            gateway.wait(300)
            log.seek(0)
            text = list(log)
        lines = [line.split(" ", 2) for line in text if line.startswith("position: ")]
        device = [f"after {float(line.split()[1]) - began:.0f} s" for line in text if line.startswith("device: ")]
        positions = [(float(at), json.loads(payload)) for _, at, payload in lines if payload.strip()]
        ages = sorted(at - datetime.fromisoformat(position["time"].replace("Z", "+00:00")).timestamp()
                      for at, position in positions if position["time"])
        if ages:
            figures = (ages[len(ages) // 2], ages[len(ages) * 95 // 100], ages[-1])
            print(f"{rate:4}  {len(ages):9}  " + "  ".join(f"{age:9.1f} s" for age in figures), *device, flush=True)
        else:
            print(f"{rate:4}  none", *device, flush=True)
        if rate >= 1200:
            is_good = is_good and bool(ages) and ages[-1] <= 5
    return is_good


def talk(link, what):
    """A receiver that hears the sonde, is deaf, or goes deaf after 20 s. It obeys tunings."""
    frequency, second = "403.500", 0
    try:
        while True:
            link.settimeout(1)
            try:
                told = link.recv(4096).decode()
                if not told:
                    return
                frequency = (re.findall(r"f=([\d.]+)", told) or [frequency])[-1]
                continue
            except TimeoutError:
                second += 1
            is_heard = what == "hears" or what == "goes deaf" and second < 20
            text = (f"1/RS41/{frequency}/V1/46.9{second:04}/7.4/{12000 + 5 * second}/40/5/117.5/100/0/0/0/4274/0/0/0/0"
                    if is_heard else f"0/RS41/{frequency}/128.0/80/4000/0")
            link.sendall(f"{text}/3.10/o\r\n".encode())
    except OSError:
        pass


if __name__ == "__main__":
    runs = {"valley": valley, "drops": drops, "hostile": hostile, "data": data, "stops": stops, "rates": rates}
    if len(sys.argv) < 2 or sys.argv[1] not in runs:
        sys.exit(__doc__)
    sys.exit(0 if runs[sys.argv[1]](*sys.argv[2:]) else 1)
