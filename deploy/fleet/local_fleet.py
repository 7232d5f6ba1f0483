"""A fleet on loopback from the files of this folder: NATS servers with TLS and users, cars with their own mosquitto, bridge
and simulated gateway. For the demonstration and the tests."""

import getpass
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import make_users

HERE = pathlib.Path(__file__).resolve().parent
PATH = os.environ["PATH"] + ":/usr/sbin"
# A cluster elects leaders, and a mosquitto tries the next server, within some seconds.
PATIENCE = 120
# Below those that the system gives to other programs. A process that starts a minute later must still find its port free:
# stunnel ends if one of its three is taken.
PORTS = range(15000, 32000)
given = set()
# mosquitto notes each client of a test with three such lines.
CLIENTS = re.compile(r" New connection from | auto-[0-9A-F]{8}-")


def free_ports(count):
    """Ports that nobody uses. No call returns a port that an earlier call has returned."""
    ports = []
    while len(ports) < count:
        port = random.choice(PORTS)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        if port not in given:
            given.add(port)
            ports.append(port)
    return ports


def wait_until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.1)


def filled(file, replacements):
    """The text of a file of this folder with its examples replaced."""
    text = (HERE / file).read_text()
    for old, new in replacements.items():
        if old not in text:
            raise ValueError(f"{file} has no {old}")
        text = text.replace(old, new)
    return text


def set_values(file, values):
    """The text of a file of this folder with other values for its keys."""
    text = (HERE / file).read_text()
    for key, value in values.items():
        text, count = re.subn(f"(?m)^{key}: .*$", f"{key}: {value}", text)
        if count != 1:
            raise ValueError(f"{file} has {count} times {key}")
    return text


class Server:
    """One of the NATS servers."""

    def __init__(self, fleet, index):
        self.fleet, self.index, self.name, self.process = fleet, index, f"fleet{index + 1}", None
        self.clients, self.monitor, self.cluster, self.mqtt = free_ports(4)
        self.folder = fleet.folder / self.name
        self.folder.mkdir()

    def configure(self):
        here = "127.0.0.1"
        routes = ", ".join(f'"nats://{here}:{server.cluster}"' for server in self.fleet.servers)
        certificates = self.fleet.folder / "certificates"
        (self.folder / "node.conf").write_text(set_values("node.conf", {
            "NODE_NAME": self.name, "CLIENT_ADDRESS": f'"{here}:{self.clients}"', "MONITOR_ADDRESS": f'"{here}:{self.monitor}"',
            "CLUSTER_ADDRESS": f'"{here}:{self.cluster}"',
            "CLUSTER_NAME": f'"{here}:{self.cluster}"', "CLUSTER_ROUTES": f"[{routes}]", "MQTT_ADDRESS": f'"{here}:{self.mqtt}"',
            "STORE_FOLDER": f'"{self.folder}/store"', "DISK_LIMIT": "2GB", "CERT_PATH": f'"{certificates}/{here}.crt"',
            "KEY_PATH": f'"{certificates}/{here}.key"', "CA_PATH": f'"{certificates}/ca.crt"'}))
        (self.folder / "nats.conf").write_text((HERE / "nats.conf").read_text())
        self.set_users(self.fleet.first_users)

    def set_users(self, users=None):
        (self.folder / "users.conf").write_text(users or (self.fleet.folder / "users" / "users.conf").read_text())

    def admit(self):
        """Takes all users, as `systemctl reload nats-server` does."""
        before = self.loaded_at()
        self.set_users()
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.loaded_at() != before, f"the users of {self.name}")

    def loaded_at(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/varz", timeout=5) as answer:
            return json.load(answer)["config_load_time"]

    def start(self):
        self.process = self.fleet.start(
            ["nats-server", "-c", self.folder / "nats.conf"], self.folder / "log")

    def kill(self):
        """Unlike a power cut, this keeps what the system has not yet written to the disk."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def is_ready(self):
        """The server has its place in the cluster. Without `js-server-only` NATS 2.9 also asks for the consumers that
        a killed server's clients without a session have left behind: these stay "not current" for ever."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/healthz?js-server-only=true", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False


class Car:
    """A mosquitto with its bridge and stunnel to all servers, and a gateway with a simulated receiver."""

    def __init__(self, fleet, name, folder=None, ports=None):
        """`ports` are those of the servers, or of relays before them."""
        self.fleet, self.name, self.gateway, self.broker, self.tunnel = fleet, name, None, None, None
        self.port, *self.tunnels = free_ports(4)
        self.ports = ports or [server.mqtt for server in fleet.servers]
        self.folder = fleet.folder / (folder or name)
        self.folder.mkdir()
        (self.folder / "mosquitto.conf").write_text(
            # A mosquitto that root starts would read its files as another user.
            f"user {getpass.getuser()}\nlistener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
            + filled("bridge-car.conf", {
                "car1": self.name, "the-password-of-" + self.name: fleet.password(name),
                **{f":1883{number}": f":{port}" for number, port in enumerate(self.tunnels, 1)}}))
        values = {"setuid = stunnel4\nsetgid = stunnel4\n": "", "/etc/stunnel/ca.crt": str(fleet.ca)}
        for number, (tunnel, port) in enumerate(zip(self.tunnels, self.ports), 1):
            values |= {f":1883{number}": f":{tunnel}", f"checkHost = fleet{number}.example": "checkIP = 127.0.0.1",
                       f"fleet{number}.example:8883": f"127.0.0.1:{port}"}
        (self.folder / "stunnel.conf").write_text(filled("stunnel-car.conf", values))

    def start(self):
        """Returns when the mosquitto accepts clients: one that is still starting forgets a SIGTERM."""
        self.tunnel = self.tunnel or self.fleet.start(
            ["stunnel4", self.folder / "stunnel.conf"], self.folder / "stunnel.log")
        self.broker = self.fleet.start(["mosquitto", "-c", self.folder / "mosquitto.conf"], self.folder / "mosquitto.log")
        wait_until(self.accepts, f"the mosquitto of {self.name}")

    def accepts(self):
        for process in (self.broker, self.tunnel):
            if process.poll() is not None:
                raise RuntimeError(f"{self.folder.name}: {process.args[0]} has ended with code {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=2).close()
            return True
        except OSError:
            return False

    def stop(self):
        self.broker.terminate()
        self.broker.wait(PATIENCE)

    def drive(self, program, *arguments, **environment):
        """Starts the gateway: a flight of the simulator, one frame a second."""
        self.gateway = self.fleet.start(
            [program, "simulate", "--id", self.name, "--mqtt-host", "127.0.0.1", "--mqtt-port", str(self.port), *arguments],
            self.folder / "gateway.log", SONDYGO_DASHBOARD_ENABLED="false", SONDYGO_GPSD_ENABLED="false",
            SONDYGO_HOMEASSISTANT_ENABLED="false", SONDYGO_MQTT_PROTOCOL="3.1.1",
            SONDYGO_GATEWAY_STATE_DIRECTORY=str(self.folder / "state"),
            **environment)

    def park(self):
        """Ends the gateway by SIGTERM, as on a box that shuts down when the ignition goes off."""
        self.gateway.terminate()
        self.gateway.wait(PATIENCE)


class Ear:
    """A `mosquitto_sub` that calls back with (seconds of arrival, is it a retained value, topic, payload).

    NATS refuses each subscription while it elects a leader (SUBACK 0x80). Then mosquitto_sub ends, with code 0: so it is
    started again."""

    def __init__(self, fleet, port, topics, heard, user=None, session=None):
        arguments = ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-F", "%r %t %p"]
        for topic in topics:
            arguments += ["-t", topic]
        if user:
            arguments += ["--cafile", str(fleet.ca), "-u", user, "-P", fleet.password(user)]
        if session:
            arguments += ["-i", session, "-c"]
        self.fleet, self.arguments, self.starts, self.is_over = fleet, arguments, 0, False
        self.start()
        threading.Thread(target=self.read, args=(heard,), daemon=True).start()

    def start(self):
        self.starts += 1
        self.process = self.fleet.start(self.arguments, None, stdout=subprocess.PIPE, text=True)

    def read(self, heard):
        while True:
            for line in self.process.stdout:
                retained, topic, payload = line.rstrip("\n").split(" ", 2)
                heard(time.monotonic(), retained == "1", topic, payload)
            time.sleep(0.5)
            if self.fleet.isOver or self.is_over:
                return
            self.start()

    def end(self):
        self.is_over = True
        self.process.terminate()


class Board:
    """The board on all servers, and the events that its page gets."""

    def __init__(self, fleet, program, servers=None):
        self.fleet, self.program = fleet, program
        self.port, = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="board-", dir=fleet.folder))
        values = {f"fleet{number}.example:8883": f"127.0.0.1:{server.mqtt}"
                  for number, server in enumerate(servers or fleet.servers, 1)}
        (self.folder / "board.yaml").write_text(
            f"gateway: {{state_directory: {self.folder}}}\nboard: {{commands: true}}\n" + filled("board.yaml", {
                **values, "8090": str(self.port), "/etc/sondygo2mqtt/ca.crt": str(fleet.ca)}))
        # In place of the credential that systemd gives the service.
        (self.folder / "mqtt_password").write_text(fleet.password("desk"))
        (self.folder / "mqtt_password").chmod(0o600)
        self.shown = {"cars": {}, "sondes": {}, "lines": {}}
        self.hears_broker = False
        # The longest time between two changes of sondes, seconds.
        self.gap, self.changed = 0, None
        self.process = None
        fleet.boards.append(self)

    def start(self):
        self.process = self.fleet.start(
            [self.program, "board", "--config", self.folder / "board.yaml"], self.folder / "log")
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while not self.fleet.isOver:
            try:
                with urllib.request.urlopen(self.url + "/api/events", timeout=10) as stream:
                    self.follow(stream)
            except OSError:
                self.hears_broker = False
            time.sleep(0.2)

    def follow(self, stream):
        name = ""
        for line in stream:
            key, _, text = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = text
            elif key == "data":
                self.hear(name, json.loads(text))

    def hear(self, name, data):
        if name == "alive":
            self.hears_broker = data["broker"]
        elif name == "gone":
            for kind, shown in self.shown.items():
                for key in list(shown) if data.get("all") else data.get("cars" if kind == "cars" else "sondes", []):
                    shown.pop(key, None)
        elif name in self.shown:
            if name == "sondes":
                now = time.monotonic()
                self.gap, self.changed = max(self.gap, now - (self.changed or now)), now
            self.shown[name].update({one["id" if name == "cars" else "serial"]: one for one in data})

    def car(self, name):
        return self.shown["cars"].get(name, {})

    def hunt(self, car, serial):
        """The status and the text of the answer to a command from the page."""
        request = urllib.request.Request(
            self.url + "/api/command", json.dumps({"car": car, "hunt": serial}).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


class LocalFleet:
    """Ends every process that it has started, by its id."""

    def __init__(self, cars, servers=3, roles=("control:desk", "watch:hall")):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet-"))
        self.processes, self.boards = [], []
        self.isOver = False
        self.ca = self.folder / "certificates" / "ca.crt"
        subprocess.run([HERE / "make-certs.sh", self.ca.parent, "127.0.0.1"], check=True)
        make_users.main(
            self.folder / "users", "keeper:keeper", "archive:archive", *[f"car:{name}" for name in cars], *roles)
        # No MQTT client may come before the history.
        self.first_users = (self.folder / "users" / "first.conf").read_text()
        self.servers = []
        self.servers += [Server(self, index) for index in range(servers)]
        for server in self.servers:
            server.configure()
        self.cars = [Car(self, name) for name in cars]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.tell()
        self.isOver = True
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 8
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if "FLEET_KEEP" not in os.environ:
            subprocess.run(["rm", "-rf", self.folder], check=True)

    def tell(self, lines=8):
        """Prints what a reader of a failure needs: what each board shows, who has ended by himself, the ends of the logs."""
        for board in self.boards:
            print(f"--- {board.folder.name} at {time.strftime('%H:%M:%S')}, broker {board.hears_broker}")
            for kind in ("cars", "sondes"):
                for key, one in sorted(dict(board.shown[kind]).items()):
                    print(kind, key, json.dumps(one)[:400])
        for process in self.processes:
            if (process.poll() or 0) > 0 and not str(process.args[0]).startswith("mosquitto_"):
                print(f"--- ended with code {process.returncode}: {process.args[0]} … {process.args[-1]}")
        for log in sorted(self.folder.glob("*/*log")):
            print(f"--- {log.relative_to(self.folder)}")
            told = [line for line in log.read_text(errors="replace").splitlines() if not CLIENTS.search(line)]
            print("\n".join(told[-lines:]))
        sys.stdout.flush()

    def start(self, command, log, stdin=None, stdout=None, text=None, **environment):
        output = stdout or open(log, "ab")
        process = subprocess.Popen(
            command, stdin=stdin, stdout=output, stderr=subprocess.DEVNULL if stdout else output, text=text,
            env={**os.environ, "PATH": PATH, **environment})
        self.processes.append(process)
        return process

    def password(self, user):
        return (self.folder / "users" / "passwords" / user).read_text().strip()

    def start_servers(self):
        for server in self.servers:
            server.start()
        wait_until(lambda: all(server.is_ready() for server in self.servers), "the cluster")
        self.history("make")
        for server in self.servers:
            server.admit()

    def addresses(self):
        return ",".join(f"tls://127.0.0.1:{server.clients}" for server in self.servers)

    def login(self, user):
        """The environment of flights_stream.py."""
        return {"FLEET_CA": str(self.ca), "FLEET_USER": user,
                "FLEET_PASSWORD_FILE": str(self.folder / "users" / "passwords" / user)}

    def history(self, verb):
        """Runs flights_stream.py."""
        user, size = ("keeper", ["1"]) if verb == "make" else ("archive", [])
        done = subprocess.run(
            [sys.executable, HERE / "flights_stream.py", verb, self.addresses(), *size], capture_output=True, text=True,
            timeout=PATIENCE, env={**os.environ, **self.login(user)})
        if done.returncode != 0:
            raise RuntimeError(f"flights_stream.py {verb}: {done.stdout}{done.stderr}")
        return [tuple(line.split(" ", 1)) for line in done.stdout.splitlines()]
