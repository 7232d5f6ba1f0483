#!/usr/bin/env python3
"""The gateway beside what a user would run instead (relay.py: paho and a socket; it stores nothing), in one run.
usage: compare.py PROGRAM [SECONDS]   (run by Tests/bench.sh)"""
import json, os, re, select, signal, socket, subprocess, sys, tempfile, threading, time
import paho.mqtt.client as mqtt

program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from ports import free_port


def frame(number):
    """Carries its number as the altitude in tenths of a metre."""
    return (f"1/RS41/403.500/V4210150/47.38/8.54/{number // 10}.{number % 10}/36.0/5.0/98.5/88/-1250/0/30600/4011"
            "/0/0/0/0/3.10/o\r\n").encode()


def until(what, condition, seconds):
    """Polls; exits if the condition does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Listener:
    """A subscriber in C, because one in Python would be slower than the measured programs. Gives its frames' numbers."""

    PROBE = "compare/probe"

    def __init__(self, port, topic):
        self.data, self.at = [], time.monotonic()
        self.child = subprocess.Popen(
            ["mosquitto_sub", "-p", str(port), "-q", "1", "-t", topic, "-t", self.PROBE, "-F", "%p"],
            stdout=subprocess.PIPE)
        # The probe is retained. When it arrives, the subscription stands.
        until("a subscription", lambda: self.read() and b"probe" in b"".join(self.data), 10)

    def read(self, seconds=0.02):
        """Reads the output so far; false if there is none."""
        if not select.select([self.child.stdout], [], [], seconds)[0]:
            return False
        self.data.append(os.read(self.child.stdout.fileno(), 1 << 20))
        self.at = time.monotonic()
        return self.data[-1] != b""

    def numbers(self, first, count):
        """The numbers of `count` frames from `first` on that arrived, each once."""
        found = re.findall(rb'"altitude_m": ?([0-9.]+)', b"".join(self.data))
        return {n for n in (round(float(text) * 10) for text in found) if first <= n < first + count}

    def stop(self):
        self.child.terminate()
        self.child.wait()


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
        until("the broker", lambda: listens(self.broker_port), 10)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.note
        self.client.connect("127.0.0.1", self.broker_port)
        self.topic, self.history = f"sondygo/{name}/position", f"sondygo/{name}/history/position"
        self.client.subscribe(self.topic, qos=0)
        self.client.loop_start()
        self.client.publish(Listener.PROBE, "probe", qos=1, retain=True).wait_for_publish(10)
        listener = socket.create_server(("127.0.0.1", 0))
        self.child = start(listener.getsockname()[1], self.broker_port, self.folder)
        listener.settimeout(20)
        self.receiver, _ = listener.accept()
        self.receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send(1)
        self.wait(1)
        self.settle()

    def note(self, client, userdata, message):
        self.arrived[round(json.loads(message.payload)["altitude_m"] * 10)] = time.monotonic()

    def send(self, number):
        self.receiver.sendall(frame(number))

    def wait(self, count, limit=60):
        end = time.monotonic() + limit
        while len(self.arrived) < count and time.monotonic() < end:
            time.sleep(0.005)

    def settle(self):
        """Waits until the work of the start is over: until two seconds cost almost no CPU time."""
        calm = [self.cpu(), time.monotonic()]

        def is_calm():
            if self.cpu() - calm[0] > 0.02:
                calm[:] = [self.cpu(), time.monotonic()]
            return time.monotonic() - calm[1] >= 2

        until("a calm program", is_calm, 30)

    def is_traced(self):
        tasks = os.listdir(f"/proc/{self.child.pid}/task")
        texts = [open(f"/proc/{self.child.pid}/task/{task}/status").read() for task in tasks]
        return all("TracerPid:\t0\n" not in text for text in texts)

    def cpu(self):
        """CPU seconds of all threads, also of ended ones: the process's own clock (`man clock_getcpuclockid`)."""
        return time.clock_gettime((~self.child.pid << 3) | 2)

    def trace(self):
        self.summary = os.path.join(self.folder, "strace")
        self.tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", self.summary, "-p", str(self.child.pid)])
        until("strace", self.is_traced, 10)
        self.traced_from = os.path.getsize(self.summary)

    def calls(self, frames):
        """Since `trace`: all system calls and futex calls per frame, and the calls by thread name."""
        self.tracer.send_signal(signal.SIGINT)
        self.tracer.wait()
        names = {}
        for task in os.listdir(f"/proc/{self.child.pid}/task"):
            with open(f"/proc/{self.child.pid}/task/{task}/comm") as file:
                names[task] = file.read().strip()
        total, futex, table = 0, 0, {}
        with open(self.summary) as file:
            file.seek(self.traced_from)
            for line in file:
                match = re.match(r"(\d+)\s+(?:<\.\.\. )?(\w+)", line)
                if not match or "resumed>" in line:
                    continue
                total += 1
                futex += match[2] == "futex"
                key = (f"{names.get(match[1], '?')} {match[1]}", match[2])
                table[key] = table.get(key, 0) + 1
        return total / frames, futex / frames, table

    def flood(self, count=50_000, first=10_000):
        """Frames a second on the live topic, CPU µs for each, how many came later as history, and how many never came."""
        self.client.unsubscribe(self.topic)
        live, history = Listener(self.broker_port, self.topic), Listener(self.broker_port, self.history)
        before, began = self.cpu(), time.monotonic()
        data = b"".join(frame(first + n) for n in range(count))
        writer = threading.Thread(target=self.receiver.sendall, args=(data,))
        writer.start()
        live.at = began
        while time.monotonic() - live.at < 5 and time.monotonic() - began < 120:
            live.read()
        writer.join()
        used, seconds = (self.cpu() - before) / count * 1e6, live.at - began
        arrived = live.numbers(first, count)
        # A newer frame displaces an older one from the live topic. The gateway sends the displaced ones as history, 50
        # a second.
        end = time.monotonic() + (count - len(arrived)) / 25 + 10
        history.at = time.monotonic()
        while time.monotonic() < end and time.monotonic() - history.at < 10:
            history.read()
            if len(arrived | history.numbers(first, count)) == count:
                break
            # Parses its messages only once a second.
            pause = time.monotonic() + 1
            while time.monotonic() < pause and history.read(0.2):
                pass
        late = history.numbers(first, count) - arrived
        live.stop()
        history.stop()
        return len(arrived) / max(seconds, 1e-9), used, len(late), count - len(arrived) - len(late)

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
        env={**os.environ, "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_DASHBOARD_ENABLED": "false", "SONDYGO_GATEWAY_STATE_DIRECTORY": folder + "/state"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def relay(receiver, broker, folder):
    return subprocess.Popen([sys.executable, here + "/relay.py", str(receiver), str(broker)])


def once_a_second(benches, count, first=5000):
    """Sends each program a frame a second, spread over the second. The balloon keeps rising: a fall would cause events."""
    for number in range(first, first + count):
        for bench in benches:
            bench.send(number)
            time.sleep(1 / len(benches))


def steady(benches):
    """Milliseconds of CPU a frame, at one a second."""
    before = [bench.cpu() for bench in benches]
    once_a_second(benches, seconds)
    return [(bench.cpu() - used) / seconds * 1000 for bench, used in zip(benches, before)]


def calls(benches, frames=20):
    for bench in benches:
        bench.trace()
    once_a_second(benches, frames, first=5000 + seconds)
    return [bench.calls(frames) for bench in benches]


def latency(benches, count=1200):
    """Milliseconds within which 99 of 100 frames arrive, at 20 a second; all programs run in the same seconds."""
    sent = [{} for _ in benches]
    for bench in benches:
        bench.arrived.clear()
    for number in range(8000, 8000 + count):
        for bench, at in zip(benches, sent):
            at[number] = time.monotonic()
            bench.send(number)
            time.sleep(0.05 / len(benches))
    waits = []
    for bench, at in zip(benches, sent):
        bench.wait(count)
        waits.append(sorted(bench.arrived[n] - began for n, began in at.items() if n in bench.arrived))
    return [wait[len(wait) * 99 // 100] * 1000 for wait in waits]


benches = {"gateway": Bench("bench", gateway), "relay.py": Bench("ref", relay)}
rows = {"CPU at 1 frame/s, ms per frame": {}, "system calls per frame": {}, "futex calls per frame": {},
        "p99 at 20 frames/s, ms": {}, "flood, frames/s": {}, "flood, CPU µs per frame": {}, "flood, as history": {},
        "flood, lost": {}}
tables = {}
together = list(benches.values())
figures = zip(benches.items(), steady(together), calls(together), latency(together))
for (name, bench), used, (total, futex, table), wait in figures:
    values, tables[name] = [used, total, futex, wait, *bench.flood()], table
    for row, value in zip(rows.values(), values):
        row[name] = value
    bench.close()
print(f"{'':34}" + "".join(f"{name:>12}" for name in benches))
for what, row in rows.items():
    print(f"{what:34}" + "".join(f"{row[name]:12.2f}" for name in benches))
print("\nsystem calls of the gateway in 20 frames, by thread:")
for (thread, call), count in sorted(tables["gateway"].items(), key=lambda item: -item[1])[:24]:
    print(f"  {count:5}  {call:18} {thread}")
