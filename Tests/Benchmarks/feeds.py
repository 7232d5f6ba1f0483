#!/usr/bin/env python3
"""Measures what the feeds cost, and how much hostile peers delay a frame. Two gateways run side by side at one frame a
second: one with all feeds on and a client at each, one with no feeds. Then the time from each gateway's frames to a
subscriber is measured, with well-behaved clients and with hostile ones. Hostile clients use most of a small machine: the
gateway without feeds, measured at the same time, shows the delay by that load alone.
usage: feeds.py PROGRAM [SECONDS]   (run by Tests/bench.sh)
Exit code 1 if a limit is not kept: + 2 MB resident, 1 % of a core, no growth, the same p99."""
import http.server, json, os, pathlib, signal, socket, subprocess, sys, tempfile, threading, time

program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
PEERS = pathlib.Path(__file__).resolve().parent.parent / "Peers"
sys.dont_write_bytecode = True
sys.path[:0] = [str(PEERS), str(PEERS.parent)]
from feed_port import connect
from ports import free_port
TICK = os.sysconf("SC_CLK_TCK")
folder = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-feeds-"))
RESIDENT_MB, CPU_PERCENT, GROWTH_MB, SLOWER_MS = 2.0, 1.0, 0.5, 1.0


class SondeHub(http.server.BaseHTTPRequestHandler):
    """A SondeHub without sondes. It accepts the car's position."""
    protocol_version = "HTTP/1.1"
    cars = 0

    def log_message(self, *arguments):
        pass

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b"[]" if "predictions" in self.path else b"{}")

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        SondeHub.cars += 1
        self.answer(b"^v^")


def gpsd(server):
    def tell(client):
        while True:
            fix = {"class": "TPV", "mode": 3, "lat": 47.1, "lon": 8.2, "alt": 430, "speed": 14, "track": 90,
                   "time": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
            try:
                client.sendall(json.dumps(fix, separators=(",", ":")).encode() + b"\n")
            except OSError:
                return
            time.sleep(1)
    while True:
        threading.Thread(target=tell, args=(server.accept()[0],), daemon=True).start()


class Gateway:
    def __init__(self, name, feeds):
        self.name = name
        self.receiver = socket.create_server(("127.0.0.1", 0))
        environment = {
            **os.environ, "SONDYGO_GATEWAY_ID": name, "SONDYGO_GATEWAY_STATE_DIRECTORY": str(folder / name),
            "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": str(broker_port),
            "SONDYGO_SONDEHUB_SITE": "06610",
            "SONDYGO_SONDEHUB_URL": f"http://127.0.0.1:{sondehub.server_port}",
            "SONDYGO_PREDICTION_URL": f"http://127.0.0.1:{sondehub.server_port}/tawhiri",
            "SONDYGO_GPSD_HOST": "127.0.0.1", "SONDYGO_GPSD_PORT": str(gpsd_server.getsockname()[1]), "SONDYGO_DASHBOARD_PORT": str(free_port()),
            "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_PORT": str(self.receiver.getsockname()[1]), **feeds}
        log = open(folder / f"{name}.log", "w")
        self.child = subprocess.Popen([program, "run", "--config", "/dev/null"], env=environment, stdout=log, stderr=log)
        self.receiver.settimeout(20)
        self.link, _ = self.receiver.accept()
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, number):
        """Carries its number as the altitude in tenths of a metre."""
        self.link.sendall(
            (f"1/RS41/403.500/V4210150/47.38/8.54/{number // 10}.{number % 10}/36.0/5.0/98.5/88/-1250/0/30600/4011"
             "/0/0/0/0/3.10/o\r\n").encode())

    def memory(self):
        """Resident and anonymous memory, MB."""
        text = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        kilobytes = {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if line.endswith(" kB")}
        return kilobytes["VmRSS:"] / 1024, kilobytes["RssAnon:"] / 1024

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def files(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.child.pid}/task"))


def drain(source):
    def run():
        while source.recv(65536):
            pass
    threading.Thread(target=run, daemon=True).start()


def datagram_sink():
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.bind(("127.0.0.1", 0))
    drain(sink)
    return sink.getsockname()[1]


def client(port):
    connection = connect(port)
    drain(connection)
    return connection


def once_a_second(count):
    global number
    for _ in range(count):
        for gateway in gateways:
            gateway.send(number)
        number += 50
        time.sleep(1)


class Subscriber:
    """Notes when each frame arrives, by the times of mosquitto_sub."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.sent, self.arrived = {}, {}
        self.child = subprocess.Popen(
            ["mosquitto_sub", "-p", str(broker_port), "-V", "5", "-t", f"sondygo/{gateway.name}/position", "-R", "-F",
             "%U %p"], stdout=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            at, payload = line.split(b" ", 1)
            self.arrived[round(json.loads(payload)["altitude_m"] * 10)] = float(at)

    def percentiles(self):
        """p50 and p99, ms."""
        self.child.kill()
        waits = sorted(self.arrived.get(number, float("inf")) - at for number, at in self.sent.items())
        return waits[len(waits) // 2] * 1000, waits[len(waits) * 99 // 100] * 1000


def eventually(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def latency(frames):
    """p50 and p99 of frames to a subscriber, ms, of each gateway; one after the other, 20 frames a second each."""
    global number
    subscribers = [Subscriber(gateway) for gateway in gateways]

    def probe():
        global number
        number += 1
        for gateway in gateways:
            gateway.send(number)
        return all(subscriber.arrived for subscriber in subscribers)

    eventually(probe)
    for _ in range(frames):
        number += 1
        for subscriber in subscribers:
            subscriber.sent[number] = time.time()
            subscriber.gateway.send(number)
            time.sleep(0.025)
    eventually(lambda: all(subscriber.sent.keys() <= subscriber.arrived.keys() for subscriber in subscribers))
    return [subscriber.percentiles() for subscriber in subscribers]


broker_port = free_port()
conf = folder / "mosquitto.conf"
conf.write_text(f"user root\nlistener {broker_port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
                "persistence false\nmax_queued_messages 0\n")
broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", conf], stderr=subprocess.DEVNULL)
connect(broker_port).close()
sondehub = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SondeHub)
threading.Thread(target=sondehub.serve_forever, daemon=True).start()
gpsd_server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=gpsd, args=(gpsd_server,), daemon=True).start()
rdz, rocket, listen = free_port(), free_port(), free_port()
off = Gateway("off", {})
on = Gateway("on", {
    "SONDYGO_FEEDS_RDZ_ENABLED": "true", "SONDYGO_FEEDS_RDZ_PORT": str(rdz),
    "SONDYGO_FEEDS_HORUS_ENABLED": "true", "SONDYGO_FEEDS_HORUS_TARGETS": f"127.0.0.1:{datagram_sink()}",
    "SONDYGO_FEEDS_HORUS_CAR": f"127.0.0.1:{datagram_sink()}", "SONDYGO_FEEDS_HORUS_LISTEN": f"127.0.0.1:{listen}",
    "SONDYGO_FEEDS_GDL90_ENABLED": "true", "SONDYGO_FEEDS_GDL90_TARGETS": f"127.0.0.1:{datagram_sink()}",
    "SONDYGO_FEEDS_GDL90_OWNSHIP": "true",
    "SONDYGO_FEEDS_ROCKET_ENABLED": "true", "SONDYGO_FEEDS_ROCKET_PORT": str(rocket),
    "SONDYGO_FEEDS_OWNTRACKS_ENABLED": "true",
    "SONDYGO_FEEDS_CHASE_CAR_ENABLED": "true", "SONDYGO_FEEDS_CHASE_CAR_CALLSIGN": "TEST1"})
gateways = (off, on)
number = 5000
faults = []
try:
    phones = [client(rdz), client(rocket)]
    phones[1].sendall(b'{"cmd":"rockets"}\n{"cmd":"flash_list"}\n')
    once_a_second(30)
    before = [gateway.cpu() for gateway in gateways]
    samples = [[], []]
    for _ in range(max(1, seconds // 5)):
        once_a_second(5)
        for gateway, sample in zip(gateways, samples):
            sample.append(gateway.memory())
    percent = [(gateway.cpu() - at) / len(samples[0]) / 5 * 100 for gateway, at in zip(gateways, before)]
    median = [[sorted(values)[len(values) // 2] for values in zip(*sample)] for sample in samples]
    for gateway, (resident, anonymous), used in zip(gateways, median, percent):
        print(f"feeds {gateway.name}: {resident:.2f} MB resident, {anonymous:.2f} anonymous, "
              f"{used:.2f} % of a core, {gateway.threads()} threads")
    more = median[1][0] - median[0][0]
    print(f"all feeds: + {more:.2f} MB resident, + {median[1][1] - median[0][1]:.2f} anonymous, "
          f"+ {percent[1] - percent[0]:.2f} % of a core; the car was told {SondeHub.cars} times")
    if more > RESIDENT_MB:
        faults.append(f"more than {RESIDENT_MB} MB")
    if percent[1] > CPU_PERCENT:
        faults.append(f"more than {CPU_PERCENT} % of a core")

    quiet = latency(seconds * 20)
    times = lambda pairs: "; ".join(
        f"feeds {gateway.name} p50 {p50:.2f} ms, p99 {p99:.2f} ms" for gateway, (p50, p99) in zip(gateways, pairs))
    print(f"frame to subscriber, clients that behave: {times(quiet)}")
    hostile = [
        subprocess.Popen([sys.executable, PEERS / "hostile_peers.py", str(port), str(seconds + 3), *udp],
                         stdout=subprocess.PIPE, text=True)
        for port, udp in ((rdz, [str(listen)]), (rocket, ["63093"]))]
    files = on.files()
    eventually(lambda: on.files() >= files + len(hostile))
    cpu, began, samples, is_over = on.cpu(), time.monotonic(), [], threading.Event()

    def watch():
        while not is_over.wait(1):
            samples.append([gateway.memory() for gateway in gateways])

    watcher = threading.Thread(target=watch)
    watcher.start()
    loud = latency(seconds * 20)
    is_over.set()
    watcher.join()
    cpu = (on.cpu() - cpu) / (time.monotonic() - began) * 100
    told = [peer.communicate(timeout=120)[0].strip().replace("\n", "; served after ms: ") for peer in hostile]
    # The first use of code and buffers grows the memory in the first third. A feed's memory is flat if it does not grow
    # after that. The flight itself grows, in the other gateway, too.
    third = max(1, len(samples) // 3)
    middle = lambda part, gateway: [sorted(values)[len(values) // 2] for values in zip(*(s[gateway] for s in part))]
    early, late = ([middle(part, gateway) for gateway in (0, 1)] for part in (samples[third:2 * third], samples[-third:]))
    growth = [late[gateway][0] - early[gateway][0] for gateway in (0, 1)]
    print(f"frame to subscriber, hostile peers:       {times(loud)}; {cpu:.1f} % of a core")
    print("\n".join(told))
    for gateway, start, end in zip(gateways, early, late):
        print(f"memory beside hostile peers, after a while and at the end, feeds {gateway.name}: {start[0]:.2f}, {end[0]:.2f} MB "
              f"resident, {start[1]:.2f}, {end[1]:.2f} anonymous")
    if any(peer.returncode for peer in hostile):
        faults.append("a peer that behaves is not served")
    if growth[1] - growth[0] > GROWTH_MB:
        faults.append(f"goes on growing, by more than {GROWTH_MB} MB")
    if loud[1][1] > loud[0][1] + SLOWER_MS:
        faults.append(f"a frame takes more than {SLOWER_MS} ms longer")
finally:
    for gateway in gateways:
        gateway.child.send_signal(signal.SIGTERM)
    for gateway in gateways:
        gateway.child.wait(10)
    broker.kill()
print("\n".join(faults) or "within the limits")
sys.exit(bool(faults))
