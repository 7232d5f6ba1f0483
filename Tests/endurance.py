#!/usr/bin/env python3
"""Long runs of the real program beside a real mosquitto, with figures.

  endurance.py soak [SECONDS]              one gateway, one frame a second over a socket (default an hour); every ten
                                           minutes the broker is killed and comes back empty half a minute later
  endurance.py fleet [GATEWAYS] [SECONDS]  many simulated gateways on one broker (default 200 for 5 minutes)

GATEWAY names the program (default: the release build of this checkout). Exit code 1 when anything was lost.
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
from datetime import datetime

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("GATEWAY", str(ROOT / ".build/release/sondygo2mqtt"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_broker(folder, port):
    config = folder / "mosquitto.conf"
    config.write_text(
        f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 0\n")
    broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", config], stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return broker
        except OSError:
            time.sleep(0.05)


class Listener:
    """`mosquitto_sub`; calls back with topic, payload and the time of arrival."""

    def __init__(self, port, heard):
        self.child = subprocess.Popen(
            ["mosquitto_sub", "-p", str(port), "-V", "5", "-q", "1", "-t", "sondygo/#", "-F", "%U %t %p"],
            stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read, args=(heard,), daemon=True)
        self.thread.start()

    def read(self, heard):
        for line in self.child.stdout:
            arrived, topic, payload = line.rstrip("\n").split(" ", 2)
            heard(float(arrived), topic, payload)


def start_gateway(folder, name, port, **more):
    environment = {
        **os.environ, "SONDYGO_GATEWAY_ID": name, "SONDYGO_GATEWAY_STATE_DIRECTORY": str(folder / name),
        "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": str(port), "SONDYGO_SONDEHUB_ENABLED": "false", **more}
    log = open(folder / f"{name}.log", "w")
    return subprocess.Popen([PROGRAM, "run"], env=environment, stdout=log, stderr=log)


def usage(process):
    """Resident and anonymous memory in MB, open files, CPU seconds."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    memory = {line.split()[0]: int(line.split()[1]) / 1024 for line in status.splitlines() if line.endswith(" kB")}
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
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
            time.sleep(1)
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
    # The first minute is the start's.
    early, late = samples[min(1, len(samples) - 1)], samples[-1]
    print(f"{sent} frames in {time.monotonic() - begin:.0f} s, {outages} broker outages, {sent - len(heard)} lost; "
          f"resident {early[0]:.1f} -> {late[0]:.1f} MB, anonymous {early[1]:.1f} -> {late[1]:.1f} MB, "
          f"files {early[2]} -> {late[2]}, {late[3]:.1f} s CPU, exit {stop(gateway)}")
    broker.kill()
    return complete


def fleet(count=200, seconds=300):
    count, seconds = int(count), int(seconds)
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
    # The last health tells how many frames there were up to it; a position of each must have come by then.
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


if __name__ == "__main__":
    runs = {"soak": soak, "fleet": fleet}
    if len(sys.argv) < 2 or sys.argv[1] not in runs:
        sys.exit(__doc__)
    sys.exit(0 if runs[sys.argv[1]](*sys.argv[2:]) else 1)
