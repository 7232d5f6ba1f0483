#!/usr/bin/env python3
"""The gateway beside what a user would run instead (relay.py: paho and a socket; it stores nothing), in one run.
usage: compare.py PROGRAM [SECONDS]   (run by Tests/bench.sh)"""
import json, os, re, signal, socket, subprocess, sys, tempfile, threading, time
import paho.mqtt.client as mqtt

program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
here = os.path.dirname(os.path.abspath(__file__))
TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def frame(number):
    """Carries its number as the altitude in tenths of a metre."""
    return (f"1/RS41/403.500/V4210150/47.38/8.54/{number // 10}.{number % 10}/36.0/5.0/98.5/88/-1250/0/30600/4011"
            "/0/0/0/0/3.10/o\r\n").encode()


class Bench:
    def __init__(self, name, start):
        self.folder = tempfile.mkdtemp(prefix="sondygo-bench-")
        self.arrived = {}
        self.broker_port = free_port()
        conf = os.path.join(self.folder, "mosquitto.conf")
        with open(conf, "w") as file:
            file.write(f"user root\nlistener {self.broker_port} 127.0.0.1\nallow_anonymous true\n"
                       "set_tcp_nodelay true\npersistence false\nmax_queued_messages 0\n")
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.broker = subprocess.Popen(["mosquitto", "-c", conf], stderr=subprocess.DEVNULL, env=environment)
        time.sleep(0.5)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.note
        self.client.connect("127.0.0.1", self.broker_port)
        self.client.subscribe(f"sondygo/{name}/position", qos=0)
        self.client.loop_start()
        listener = socket.create_server(("127.0.0.1", 0))
        self.child = start(listener.getsockname()[1], self.broker_port, self.folder)
        listener.settimeout(20)
        self.receiver, _ = listener.accept()
        self.receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send(1)
        self.wait(1)
        time.sleep(3)

    def note(self, client, userdata, message):
        self.arrived[round(json.loads(message.payload)["altitude_m"] * 10)] = time.monotonic()

    def send(self, number):
        self.receiver.sendall(frame(number))

    def wait(self, count, limit=60):
        end = time.monotonic() + limit
        while len(self.arrived) < count and time.monotonic() < end:
            time.sleep(0.005)

    def cpu(self):
        with open(f"/proc/{self.child.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def once_a_second(self, count):
        for number in range(count):
            self.send(5000 + number)
            time.sleep(1)

    def steady(self):
        before = self.cpu()
        self.once_a_second(seconds)
        return (self.cpu() - before) / seconds * 100

    def calls(self):
        """Per frame: all system calls, futex calls; and the calls by thread name."""
        summary = os.path.join(self.folder, "strace")
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", summary, "-p", str(self.child.pid)])
        time.sleep(1)
        before = os.path.getsize(summary)
        self.once_a_second(20)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        names = {}
        for task in os.listdir(f"/proc/{self.child.pid}/task"):
            with open(f"/proc/{self.child.pid}/task/{task}/comm") as file:
                names[task] = file.read().strip()
        total, futex, table = 0, 0, {}
        with open(summary) as file:
            file.seek(before)
            for line in file:
                match = re.match(r"(\d+)\s+(?:<\.\.\. )?(\w+)", line)
                if not match or "resumed>" in line:
                    continue
                total += 1
                futex += match[2] == "futex"
                key = (f"{names.get(match[1], '?')} {match[1]}", match[2])
                table[key] = table.get(key, 0) + 1
        return total / 20, futex / 20, table

    def latency(self):
        self.arrived.clear()
        sent = {}
        for number in range(8000, 8600):
            sent[number] = time.monotonic()
            self.send(number)
            time.sleep(0.05)
        self.wait(len(sent))
        waits = sorted(self.arrived[n] - at for n, at in sent.items() if n in self.arrived)
        return waits[len(waits) * 99 // 100] * 1000

    def flood(self, count=50_000):
        self.arrived.clear()
        before, began = self.cpu(), time.monotonic()
        data = b"".join(frame(10_000 + n) for n in range(count))
        writer = threading.Thread(target=self.receiver.sendall, args=(data,))
        writer.start()
        self.wait(count)
        writer.join()
        last = max(self.arrived.values(), default=began)
        return len(self.arrived) / (last - began), (self.cpu() - before) / count * 1e6, len(self.arrived)

    def close(self):
        self.child.terminate()
        self.child.wait(10)
        self.client.loop_stop()
        self.broker.kill()
        self.broker.wait()


def gateway(receiver, broker, folder):
    return subprocess.Popen(
        [program, "run", "--id", "bench", "--mqtt-host", "127.0.0.1", "--mqtt-port", str(broker), "--transport", "tcp",
         "--receiver-host", "127.0.0.1", "--receiver-port", str(receiver)],
        env={**os.environ, "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_GATEWAY_STATE_DIRECTORY": folder + "/state"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def relay(receiver, broker, folder):
    return subprocess.Popen([sys.executable, here + "/relay.py", str(receiver), str(broker)])


benches = {"gateway": Bench("bench", gateway), "relay.py": Bench("ref", relay)}
rows = {"CPU at 1 frame/s, % of a core": {}, "system calls per frame": {}, "futex calls per frame": {},
        "p99 at 20 frames/s, ms": {}, "flood, frames/s": {}, "flood, CPU µs per frame": {}, "flood, arrived": {}}
tables = {}
for name, bench in benches.items():
    values = [bench.steady(), *bench.calls(), bench.latency(), *bench.flood()]
    tables[name] = values.pop(3)
    for row, value in zip(rows.values(), values):
        row[name] = value
    bench.close()
print(f"{'':34}" + "".join(f"{name:>12}" for name in benches))
for what, row in rows.items():
    print(f"{what:34}" + "".join(f"{row[name]:12.2f}" for name in benches))
print("\nsystem calls of the gateway in 20 frames, by thread:")
for (thread, call), count in sorted(tables["gateway"].items(), key=lambda item: -item[1])[:24]:
    print(f"  {count:5}  {call:18} {thread}")
