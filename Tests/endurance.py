#!/usr/bin/env python3
"""Long runs of the real program beside a real mosquitto, with figures.

  endurance.py soak [SECONDS]              one gateway, one frame a second over a socket (default an hour); every ten
                                           minutes the broker is killed and comes back empty half a minute later
  endurance.py fleet [GATEWAYS] [SECONDS]  many simulated gateways on one broker (default 200 for 5 minutes); more than 200
                                           are a recorded gateway's messages each 5 s, through 20 bridges into three NATS
                                           servers: 1000 processes need more memory than a test machine has
  endurance.py car [SECONDS]               two gateways beside each other, one frame a second each, and one of them a fix a
                                           second: what the car costs (default five minutes); then its gpsd comes and
                                           goes for as long
  endurance.py cut [SECONDS]               a car's bridge to three NATS servers is cut (default an hour) while its gateway sends
                                           a frame a second; then what arrives, how late, and what is in the history

GATEWAY names the program (default: the release build of this checkout). Ends with 1 if a message was lost.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timezone

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("GATEWAY", str(ROOT / ".build-static/release/sondygo2mqtt"))


def start_broker(folder, port):
    config = folder / "mosquitto.conf"
    config.write_text(
        f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 0\n")
    broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", config], stderr=subprocess.DEVNULL)

    def listens():
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return False

    if not wait_until(listens, 20):
        sys.exit("the broker does not listen")
    return broker


class Listener:
    """A `mosquitto_sub`. Calls back with topic, payload and arrival time. Listens once it is created."""

    PROBE = "sondygo/endurance/probe"

    def __init__(self, port, heard):
        subprocess.run(["mosquitto_pub", "-p", str(port), "-r", "-q", "1", "-t", self.PROBE, "-m", "1"], check=True)
        self.listens = threading.Event()
        self.child = subprocess.Popen(
            ["mosquitto_sub", "-p", str(port), "-V", "5", "-q", "1", "-t", "sondygo/#", "-F", "%U %t %p"],
            stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read, args=(heard,), daemon=True)
        self.thread.start()
        if not self.listens.wait(20):
            sys.exit("the subscriber does not listen")

    def read(self, heard):
        for line in self.child.stdout:
            arrived, topic, payload = line.rstrip("\n").split(" ", 2)
            if topic == self.PROBE:
                self.listens.set()
            else:
                heard(float(arrived), topic, payload)


def start_gateway(folder, name, port, **more):
    environment = {
        **os.environ, "SONDYGO_GATEWAY_ID": name, "SONDYGO_GATEWAY_STATE_DIRECTORY": str(folder / name),
        "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": str(port), "SONDYGO_SONDEHUB_ENABLED": "false", **more}
    log = open(folder / f"{name}.log", "w")
    return subprocess.Popen([PROGRAM, "run"], env=environment, stdout=log, stderr=log)


def usage(process):
    """Resident and anonymous memory in MB, open files, CPU time in seconds."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    memory = {line.split()[0]: int(line.split()[1]) / 1024 for line in status.splitlines() if line.endswith(" kB")}
    # schedstat counts nanoseconds; /proc/PID/stat only hundredths of a second.
    threads = pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    cpu = sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
    return memory["VmRSS:"], memory["RssAnon:"], len(os.listdir(f"/proc/{process.pid}/fd")), cpu


def stop(process, seconds=5):
    process.send_signal(signal.SIGTERM)
    return process.wait(seconds)


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def soak(seconds=3600):
    seconds = int(seconds)
    folder = pathlib.Path(tempfile.mkdtemp())
    port = free_port()
    heard = set()

    def note(_, topic, payload):
        if topic.endswith("/position"):
            heard.add(round(json.loads(payload)["altitude_m"] * 10))

    receiver = socket.socket()
    receiver.bind(("127.0.0.1", 0))
    receiver.listen()
    broker, listener = start_broker(folder, port), Listener(port, note)
    gateway = start_gateway(
        folder, "soak", port, SONDYGO_RECEIVER_TRANSPORT="tcp",
        SONDYGO_RECEIVER_PORT=str(receiver.getsockname()[1]))
    link = receiver.accept()[0]
    sent, samples, outages = 0, [], 0
    begin = time.monotonic()
    while sent < seconds:
        second = sent % 600
        if second == 300:
            broker.kill()
            broker.wait()
        if second == 330:
            gateway.send_signal(signal.SIGSTOP)
            broker, listener = start_broker(folder, port), Listener(port, note)
            gateway.send_signal(signal.SIGCONT)
            outages += 1
        sent += 1
        height = 5000 + sent
        link.sendall(
            f"1/RS41/403.500/V4210150/47.38/8.54/{height // 10}.{height % 10}/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
            .encode())
        if second % 60 == 0:
            samples.append(usage(gateway))
            print(f"{sent} s: {samples[-1][0]:.1f} MB resident, {samples[-1][1]:.1f} MB anonymous, "
                  f"{samples[-1][2]} files, {samples[-1][3]:.1f} s CPU", flush=True)
        time.sleep(max(0, begin + sent - time.monotonic()))
    complete = wait_until(lambda: len(heard) == sent, 120)
    # Leave out the first minute, which belongs to the start.
    early, late = samples[min(1, len(samples) - 1)], samples[-1]
    print(f"{sent} frames in {time.monotonic() - begin:.0f} s, {outages} broker outages, {sent - len(heard)} lost; "
          f"resident {early[0]:.1f} -> {late[0]:.1f} MB, anonymous {early[1]:.1f} -> {late[1]:.1f} MB, "
          f"files {early[2]} -> {late[2]}, {late[3]:.1f} s CPU, exit {stop(gateway)}")
    broker.kill()
    return complete


def fleet(count=200, seconds=300):
    count, seconds = int(count), int(seconds)
    if count > 200:
        python = subprocess.check_output([ROOT / "deploy/fleet/python.sh"], text=True).strip()
        load = [python, ROOT / "Tests/Fleet/load.py", "bridges", str(count), str(seconds)]
        return subprocess.run(load, env={**os.environ, "PROGRAM": PROGRAM}).returncode == 0
    folder = pathlib.Path(tempfile.mkdtemp())
    port = free_port()
    delays, positions, frames = [], {}, {}

    def note(arrived, topic, payload):
        name, _, rest = topic.removeprefix("sondygo/").partition("/")
        if rest == "position":
            body = json.loads(payload)
            sent = datetime.fromisoformat(body["received_at"].replace("Z", "+00:00")).timestamp()
            delays.append((arrived - sent) * 1000)
            positions.setdefault(name, []).append(body["time"])
        elif rest == "health":
            frames[name] = json.loads(payload)["frames"]["type_1"]

    broker, listener = start_broker(folder, port), Listener(port, note)
    print(f"starting {count} gateways", flush=True)
    gateways = [
        start_gateway(
            folder, f"car-{number}", port, SONDYGO_RECEIVER_TRANSPORT="simulator", SONDYGO_RECEIVER_SEED=str(number))
        for number in range(count)]
    wait_until(lambda: len(positions) == count, 120)
    delays.clear()
    begin = time.monotonic()
    cpu = sum(usage(gateway)[3] for gateway in gateways)
    time.sleep(seconds)
    elapsed = time.monotonic() - begin
    used = [usage(gateway) for gateway in gateways]
    measured = sorted(delays)
    # The last health message counts the frames so far. The positions of all these frames must have arrived.
    lost = sum(max(0, frames.get(name, 1) - len(positions[name])) for name in positions) + count - len(positions)
    doubles = sum(len(times) - len(set(times)) for times in positions.values())
    codes = set()
    for gateway in gateways:
        gateway.send_signal(signal.SIGTERM)
    for gateway in gateways:
        codes.add(gateway.wait(20))
    print(f"{count} gateways, {elapsed:.0f} s, {len(measured)} positions ({len(measured) / elapsed:.0f}/s), {lost} lost, "
          f"{doubles} twice; latency p50 {measured[len(measured) // 2]:.1f} ms, p99 "
          f"{measured[len(measured) * 99 // 100]:.1f} ms, worst {measured[-1]:.1f} ms; CPU "
          f"{100 * (sum(u[3] for u in used) - cpu) / elapsed:.0f} % of a core for all, resident "
          f"{max(u[0] for u in used):.1f} MB at most; exit codes {sorted(codes)}")
    broker.kill()
    return lost == 0 and doubles == 0


def cut(seconds=3600):
    python = subprocess.check_output([ROOT / "deploy/fleet/python.sh"], text=True).strip()
    test = [python, ROOT / "Tests/Fleet/cut.py", str(seconds)]
    return subprocess.run(test, env={**os.environ, "PROGRAM": PROGRAM}).returncode == 0


class Satellites:
    """Plays gpsd with a car that drives east: a fix and its satellites each second."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.clients, self.is_away, self.fixes = [], False, 0
        self.sky = {"class": "SKY", "device": "/dev/ttyACM0", "hdop": 0.9, "satellites": [
            {"PRN": n, "el": 45.0, "az": 120.0, "ss": 38.0, "used": True, "gnssid": 0, "svid": n} for n in range(16)]}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.server.accept()[0]
            if self.is_away:
                client.close()
                continue
            self.say(client, {"class": "VERSION", "release": "3.22", "proto_major": 3, "proto_minor": 14})
            self.say(client, {"class": "DEVICES", "devices": [{"class": "DEVICE", "path": "/dev/ttyACM0"}]})
            self.clients.append(client)

    def say(self, client, *messages):
        """Sends the messages in one segment, like gpsd."""
        client.sendall("".join(json.dumps(message, separators=(",", ":")) + "\r\n" for message in messages).encode())

    def second(self):
        self.fixes += 1
        fix = {"class": "TPV", "device": "/dev/ttyACM0", "mode": 3,
               "time": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z"), "ept": 0.005, "lat": 47.1,
               "lon": 8.2 + self.fixes % 900 * 0.00026, "altHAE": 477.0, "altMSL": 430.0, "alt": 430.0, "epx": 3.1,
               "epy": 4.2, "epv": 12.0, "track": 90.0, "speed": 20.0, "climb": 0.0, "eph": 5.2}
        for client in list(self.clients):
            try:
                self.say(client, self.sky, fix)
            except OSError:
                self.clients.remove(client)

    def leave(self):
        self.is_away = True
        for client in self.clients:
            client.close()
        self.clients.clear()


def car(seconds=300):
    seconds = int(seconds)
    folder = pathlib.Path(tempfile.mkdtemp())
    port = free_port()
    known = {"desk": 0, "car": 0}

    def note(_, topic, payload):
        name, _, rest = topic.removeprefix("sondygo/").partition("/")
        if rest == "chase" and payload and json.loads(payload)["car"]:
            known[name] += 1

    broker, listener, satellites = start_broker(folder, port), Listener(port, note), Satellites()
    gateways, links = {}, []
    for name in known:
        receiver = socket.create_server(("127.0.0.1", 0))
        gateways[name] = start_gateway(
            folder, name, port, SONDYGO_RECEIVER_TRANSPORT="tcp", SONDYGO_DASHBOARD_ENABLED="false",
            SONDYGO_RECEIVER_PORT=str(receiver.getsockname()[1]),
            SONDYGO_GPSD_ENABLED="true" if name == "car" else "false", SONDYGO_GPSD_PORT=str(satellites.port))
        links.append(receiver.accept()[0])
    sent = 0

    def live(seconds, comes_and_goes=False):
        nonlocal sent
        for second in range(seconds):
            begin = time.monotonic()
            height = 5000 + sent
            sent += 1
            for link in links:
                link.sendall(f"1/RS41/403.500/V4210150/47.38/8.54/{height // 10}.{height % 10}/10/2/117.5/100/0/0/0/4274"
                             "/0/0/0/0/3.10/o\r\n".encode())
            if comes_and_goes and second % 60 == 20:
                satellites.leave()
            if second % 60 == 40:
                satellites.is_away = False
            satellites.second()
            time.sleep(max(0, begin + 1 - time.monotonic()))

    live(20)
    for name in known:
        subprocess.run(["mosquitto_pub", "-p", str(port), "-t", f"sondygo/{name}/command", "-m",
                        '{"landing_point":{"latitude":47.2,"longitude":8.4}}'], check=True)
    live(20)
    known["car"] = 0
    before = {name: usage(gateway) for name, gateway in gateways.items()}
    live(seconds)
    fixes = known["car"]
    middle = {name: usage(gateway) for name, gateway in gateways.items()}
    live(seconds, comes_and_goes=True)
    after = usage(gateways["car"])
    desk, driving = (middle[name][3] - before[name][3] for name in ("desk", "car"))
    print(f"{seconds} s: {desk:.2f} s CPU without a car, {driving:.2f} s with {fixes} chases told: "
          f"{driving / max(desk, 0.01):.2f} times; gpsd coming and going for as long: anonymous {middle['car'][1]:.1f} -> "
          f"{after[1]:.1f} MB, resident {middle['car'][0]:.1f} -> {after[0]:.1f} MB, files {middle['car'][2]} -> "
          f"{after[2]}, exit {[stop(gateway) for gateway in gateways.values()]}")
    broker.kill()
    return driving <= 1.5 * desk and known["desk"] == 0


if __name__ == "__main__":
    runs = {"soak": soak, "fleet": fleet, "car": car, "cut": cut}
    if len(sys.argv) < 2 or sys.argv[1] not in runs:
        sys.exit(__doc__)
    sys.exit(0 if runs[sys.argv[1]](*sys.argv[2:]) else 1)
