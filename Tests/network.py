#!/usr/bin/env python3
"""Long runs of the real program on a bad network, beside a fake SondeHub with its live stream, with figures.

  network.py valley [SECONDS]  the network comes and goes every 20 s (default two hours)
  network.py drops [SECONDS]   the live stream is dropped every 3 s (default five minutes)
  network.py data [SECONDS]    calls and bytes an hour in each state, polled and streamed (default ten minutes)

GATEWAY names the program (default: the release build of this checkout). Ends with 1 if 15 s of the track are missing,
which polls would have had, a published time goes back, or the memory grows.
"""

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone

from endurance import PROGRAM, Listener, free_port, start_broker, start_gateway, stop, usage, wait_until

SUPPORT = pathlib.Path(__file__).resolve().parent / "TestSupport"
# Anonymous memory may grow by this much after the first quarter of a run: the track itself grows.
GROWTH_MB = 6
# Polls would have a point every 15 s: no gap may be longer.
POLL = 15


class Link:
    """A link to a port of this machine. Counts what passes. While it is away, nothing passes and nothing is said."""

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
    """A broker, a SondeHub with a live stream, and a gateway that reaches both over links."""

    def __init__(self, name, state, stream="good", **more):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "answers").mkdir()
        self.broker_port = free_port()
        self.broker = start_broker(self.folder, self.broker_port)
        self.times, self.state = [], ""
        self.listener = Listener(self.broker_port, self.note)
        self.api = Child("sondehub.py", self.folder / "answers")
        self.peer = Child("streampeer.py", self.broker_port)
        self.links = [Link(self.api.port), Link(self.peer.port)]
        self.name, self.flight = name, None
        self.fill(state)
        address = "off" if stream == "off" else f"ws://127.0.0.1:{self.links[1].port}/{stream}"
        settings = dict(
            SONDYGO_RECEIVER_TRANSPORT="tcp", SONDYGO_RECEIVER_PORT="1", SONDYGO_DASHBOARD_ENABLED="false",
            SONDYGO_PREDICTION_ENABLED="false", SONDYGO_SONDEHUB_ENABLED="true", SONDYGO_SONDEHUB_STREAM=address,
            SONDYGO_SONDEHUB_URL=f"http://127.0.0.1:{self.links[0].port}/gzip",
            SONDYGO_PREDICTION_URL=f"http://127.0.0.1:{self.links[0].port}/gzip/tawhiri")
        self.gateway = start_gateway(self.folder, name, self.broker_port, **(settings | more))

    def note(self, _, topic, payload):
        if topic == f"sondygo/{self.name}/position" and payload:
            self.times.append(json.loads(payload)["time"])
        elif topic == f"sondygo/{self.name}/state" and payload:
            self.state = json.loads(payload)["state"]

    def write(self, kind, value):
        (self.folder / "answers" / f"{kind}.json").write_text(json.dumps(value))

    def fill(self, state):
        """SondeHub's answers, if no sonde flies: a landed one, or none; with eight of the day beside it."""
        now = datetime.now(timezone.utc)

        def record(serial, age):
            return {
                "software_name": "radiosonde_auto_rx", "software_version": "1.8.1", "uploader_callsign": "HB9XYZ",
                "uploader_position": "46.8131,6.9435", "uploader_alt": 490, "time_received": now.isoformat(),
                "datetime": (now - timedelta(seconds=age)).isoformat().replace("+00:00", "Z"), "type": "RS41",
                "serial": serial, "manufacturer": "Vaisala", "subtype": "RS41-SGP", "frame": 7312, "lat": 46.9,
                "lon": 7.4, "alt": 600.0, "vel_h": 0.1, "vel_v": -5.5, "heading": 98.4, "sats": 10, "batt": 2.6,
                "frequency": 403.5, "tx_frequency": 403.5, "snr": 14.1, "ref_datetime": "UTC", "position": "46.9,7.4",
            }  # fmt: skip

        day = {f"V42101{number}0": record(f"V42101{number}0", 40_000 + number) for number in range(8)}
        self.write("site", day | ({"V1": record("V1", 600)} if state == "landed" else {}))
        self.write("area", day)
        self.write("track", {"V1": {"t": record("V1", 600)}} if state == "landed" else {})

    def fly(self, seconds, cache, climb):
        self.flight = subprocess.Popen(
            ["python3", str(SUPPORT / "liveflight.py"), str(self.folder / "answers"), str(self.broker_port),
             str(seconds), str(cache), str(climb)], stdout=subprocess.DEVNULL)

    def calls(self):
        """The number of calls of each kind."""
        kinds = {"/site/": "site", "sondes?": "area", "telemetry": "track", "recovered": "recovered", "/sites": "sites"}
        return collections.Counter(
            next((kind for part, kind in kinds.items() if part in line), "other")
            for line in self.api.lines if line.startswith(("GET", "PUT")))

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
        for process in (self.flight, self.api.process, self.peer.process, self.broker):
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


def judge(sky, seconds, samples):
    """Prints what came of a flight of so many seconds. Returns whether it is good."""
    wait_until(lambda: sky.flight.poll() is not None, 30)
    flown = flown_seconds(sky)
    # The last half minute may never come: nobody asks again for a sonde that has gone silent.
    limit = (datetime.fromisoformat(max(flown)) - timedelta(seconds=30)).isoformat()
    flown = {time for time in flown if time < limit}
    wait_until(lambda: longest_run(sky.missing(flown)) < POLL, 90)
    early, late = samples[len(samples) // 4], samples[-1]
    connections = sum(line.startswith("open") for line in sky.peer.lines)
    calls = sky.calls()
    is_sorted = all(a < b for a, b in zip(sky.times, sky.times[1:]))
    missing = sky.missing(flown)
    code = sky.end()
    hourly = {kind: round(count * 3600 / seconds) for kind, count in sorted(calls.items())}
    print(f"{seconds} s: {len(sky.times)} positions published, times {'only grow' if is_sorted else 'GO BACK'}; "
          f"{len(missing)} of {len(flown)} seconds missing in the track, {longest_run(missing)} in a row; resident {early[0]:.1f} -> "
          f"{late[0]:.1f} MB, anonymous {early[1]:.1f} -> {late[1]:.1f} MB, files {early[2]} -> {late[2]}; calls an "
          f"hour {hourly}, connections of the stream an hour {round(connections * 3600 / seconds)}; exit {code}")
    return is_sorted and longest_run(missing) < POLL and code == 0 and late[1] - early[1] < GROWTH_MB and bool(sky.times)


def valley(seconds=7200):
    seconds = int(seconds)
    sky = Sky("valley", "silent", SONDYGO_SONDEHUB_HUNT="V1")
    sky.fly(seconds, 10 if seconds < 600 else 60, 1)

    def tick(second):
        is_up = second // 20 % 2 == 0 or second > seconds - 40
        for link in sky.links:
            if link.is_up and not is_up and second // 40 % 2:
                link.cut()
            link.is_up = is_up

    return judge(sky, seconds, watch(sky, seconds, tick))


def drops(seconds=300):
    seconds = int(seconds)
    sky = Sky("drops", "silent", "drop/3", SONDYGO_SONDEHUB_HUNT="V1")
    sky.fly(seconds, 10 if seconds < 200 else 60, 5)
    return judge(sky, seconds, watch(sky, seconds, lambda second: None))


def data(seconds=600):
    seconds = int(seconds)
    receiver = socket.create_server(("127.0.0.1", 0))
    skies = {}
    for state in ("flying", "landed", "silent", "heard"):
        for way in ("polled", "streamed"):
            more = {"SONDYGO_RECEIVER_PORT": str(receiver.getsockname()[1])} if state == "heard" else {}
            if state == "landed":
                more["SONDYGO_SONDEHUB_HUNT"] = "V1"
            skies[state, way] = sky = Sky(way, state, "good" if way == "streamed" else "off", **more)
            if state in ("flying", "heard"):
                sky.fly(seconds + 60, 60, 5)
            if state == "heard":
                link = receiver.accept()[0]
                threading.Thread(target=talk, args=(link, seconds + 60), daemon=True).start()
    time.sleep(40)
    links = [link for sky in skies.values() for link in sky.links]
    before = {link: (link.sent, link.received, link.calls) for link in links}
    time.sleep(seconds)
    print("state     way       calls/h  kB up/h  kB down/h  of the stream")
    for (state, way), sky in skies.items():
        used = [[now - was for now, was in zip((link.sent, link.received, link.calls), before[link])]
                for link in sky.links]
        hourly = [[value * 3600 / seconds for value in link] for link in used]
        print(f"{state:<9} {way:<9} {hourly[0][2]:7.0f} {(hourly[0][0] + hourly[1][0]) / 1e3:8.0f} "
              f"{(hourly[0][1] + hourly[1][1]) / 1e3:10.0f} {hourly[1][1] / 1e3:14.0f}   {sky.state} "
              f"{dict(sky.calls())}", flush=True)
    return all(sky.end() == 0 for sky in skies.values())


def talk(link, seconds):
    """A receiver that hears the sonde."""
    try:
        for second in range(seconds):
            link.sendall(f"1/RS41/403.500/V1/46.9{second:04}/7.4/{12000 + 5 * second}/40/5/117.5/100/0/0/0/4274/0/0/0/0"
                         "/3.10/o\r\n".encode())
            time.sleep(1)
    except OSError:
        pass


if __name__ == "__main__":
    runs = {"valley": valley, "drops": drops, "data": data}
    if len(sys.argv) < 2 or sys.argv[1] not in runs:
        sys.exit(__doc__)
    sys.exit(0 if runs[sys.argv[1]](*sys.argv[2:]) else 1)
