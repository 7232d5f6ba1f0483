"""A bridge that is cut and comes back with a long queue, and a server that comes back with an old stream."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

import flights_stream
import make_users
import nats
from checks import Frames, check, publish, stored
from local_fleet import HERE, PATH, Ear, wait_until


class Cable:
    """A connection to a server that can be cut. While it is cut, bytes wait and neither end gets an error, as in a valley.
    If the server is dead, a new connection is closed before TLS is up."""

    def __init__(self, target):
        self.target, self.whole = target, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.mend()
        threading.Thread(target=self.accept, daemon=True).start()

    def mend(self):
        self.whole.set()

    def cut(self):
        self.whole.clear()

    def accept(self):
        while True:
            near = self.listener.accept()[0]
            self.whole.wait()
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                self.whole.wait()
                sink.sendall(data)
        except OSError:
            pass
        self.whole.wait()
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def long_cut(fleet, car, cables, board, seconds, backlog=7000):
    """The car's way to all servers is cut for a minute or longer while frames flow; then the bridge brings all at once."""
    frames = Frames(fleet, car)
    Ear(fleet, fleet.servers[0].mqtt, [frames.topic],
        lambda at, retained, _, payload: frames.arrive(at, retained, payload), user="desk", session="cut")
    frames.thread.start()
    wait_until(lambda: frames.arrived, "frames through the bridge")
    began = time.monotonic()
    for cable in cables:
        cable.cut()
    # The server misses the bridge after one and a half of its keepalive intervals.
    wait_until(lambda: board.car(car.name).get("reach") == "unconnected", "a cut bridge on the board", 120)
    check("a car whose bridge is cut is shown", True)
    # QoS 0 across the bridge: nothing queues it.
    for phase in ("ascent", "descent"):
        publish(fleet, car.port, f"sondygo/{car.name}/state", json.dumps({"serial": f"S-{car.name}", "phase": phase}), None, "-r")
    frames.send(backlog)
    time.sleep(max(seconds, began + 60 - time.monotonic()))
    for cable in cables:
        cable.mend()
    mended, queued = time.monotonic(), frames.next
    seconds = mended - began
    wait_until(lambda: queued - 1 in frames.arrived[-500:], "the queue of the bridge", 240)
    took = time.monotonic() - mended
    frames.end()
    last = frames.next - 1
    # The subscription began with one of the first.
    expected = set(range(frames.arrived[0], frames.next))
    try:
        # A lost acknowledgement: NATS sends again after 30 s.
        wait_until(lambda: expected <= set(frames.arrived), "all frames")
    except TimeoutError:
        pass
    first = list(dict.fromkeys(frames.arrived))
    lost = len(expected - set(first))
    # mosquitto 2.0.11 sends one or two of them late.
    disordered = sum(later < earlier for earlier, later in zip(first, first[1:]))
    check(f"a bridge that was cut for {seconds:.0f} s brings its {queued} frames in {took:.1f} s: {lost} not heard live, "
          f"{len(frames.arrived) - len(first)} twice, {disordered} behind later ones", lost == 0)
    wait_until(lambda: board.shown["sondes"].get(f"S-{car.name}", {}).get("position", {}).get("altitude_m") == last,
               "the last frame on the board", 60)
    check("the board shows the last of them", True)
    wait_until(lambda: board.car(car.name).get("phase") == "descent", "the newest state on the board", 60)
    check("it shows the newest state, which changed during the cut", True)
    return frames


def history_stream(server):
    """The history's stream as this server reports it; None if the server has none."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.monitor}/jsz?accounts=1&streams=1", timeout=5) as answer:
        accounts = json.load(answer)["account_details"]
    streams = [stream for account in accounts for stream in account.get("stream_detail", [])]
    return next((stream for stream in streams if stream["name"] == "$MQTT_msgs"), None)


def stream_state(server):
    """First and last number, and count, of the history as this server has it."""
    stream = history_stream(server)
    return stream and [stream["state"][key] for key in ("first_seq", "last_seq", "messages")]


def history_leader(fleet):
    """The server that takes the messages of the history."""
    name = history_stream(fleet.servers[0])["cluster"].get("leader")
    return next((server for server in fleet.servers if server.name == name), fleet.servers[0])


def history_comes_first(fleet):
    """If an MQTT client came before the history, `make` refuses. Its advice helps."""
    for server in fleet.servers:
        server.set_users()
        server.start()
    wait_until(lambda: all(server.is_ready() for server in fleet.servers), "the cluster")

    def has_been_there():
        publish(fleet, fleet.servers[0].mqtt, "sondygo/car1/position", "{}", "car1", may_fail=True)
        return history_stream(fleet.servers[0])

    wait_until(has_been_there, "an MQTT client")

    def refusal():
        """On a busy machine the servers may not answer in time."""
        try:
            fleet.history("make")
            return "none"
        except RuntimeError as error:
            return "" if "can't be made" in str(error) else str(error)

    told = []
    wait_until(lambda: told.append(refusal()) or told[-1], "an answer to a history that comes too late", 240)
    check("a history that comes after an MQTT client is refused", "an MQTT client came before the history" in told[-1])
    for server in fleet.servers:
        server.kill()
        shutil.rmtree(server.folder / "store" / "jetstream")
        server.configure()
    fleet.start_servers()
    check("without the old state it is made", history_stream(fleet.servers[0])["state"]["messages"] == 0)


def history_stays(fleet):
    """The history can be made again, its reader can't empty, change or remove it, and a message of any bytes is one line
    of it. A car's password does not open the port of its readers."""
    garbage = fleet.folder / "garbage"
    garbage.write_bytes(b'{"\xff\xfe":1}\nsondygo/car2/position forged')
    publish(fleet, fleet.servers[0].mqtt, "sondygo/car1/event", None, "car1", "-f", garbage)
    before = fleet.history("read")
    fleet.history("make")

    async def destroy():
        client = await flights_stream.connect(fleet.addresses())
        stream, refused = client.jetstream(), 0
        for attempt in (stream.purge_stream(flights_stream.NAME), stream.delete_stream(flights_stream.NAME),
                        stream.update_stream(name=flights_stream.NAME, subjects=["$MQTT.msgs.>"], max_msgs=1)):
            try:
                await attempt
            except nats.errors.Error:
                refused += 1
        await client.close()
        return refused

    os.environ.update(fleet.login("archive"))
    refused = asyncio.run(destroy())
    check("the history stays when it is made again, and its reader can't empty, change or remove it",
          refused == 3 and before and fleet.history("read")[:len(before)] == before)
    check("a message of any bytes is one line of it",
          ("sondygo/car1/event", '{"\\xff\\xfe":1} sondygo/car2/position forged') in before)
    os.environ.update(fleet.login("car1"))
    try:
        asyncio.run(flights_stream.connect(fleet.addresses()))
        told = ""
    except SystemExit as error:
        told = str(error)
    check(f"a car's password does not open its port: {told}", "no server" in told)


def stolen_box(fleet):
    """A car that has left, or a stolen box: a new password ends its session, and what the servers keep of it is cleared."""
    retained = []
    server = fleet.servers[0]
    users = fleet.folder / "users"
    publish(fleet, server.mqtt, "sondygo/stolen/state", "{}", "stolen", "-r")
    old = fleet.password("stolen")
    make_users.main(users, "renew:stolen")
    for one in fleet.servers:
        one.admit()
    (users / "ca.crt").write_bytes(fleet.ca.read_bytes())
    subprocess.run(
        [HERE / "forget-car.sh", users, "stolen", "127.0.0.1", str(server.mqtt)], check=True, timeout=60,
        env={**os.environ, "PATH": PATH})
    is_taken = publish(fleet, server.mqtt, "sondygo/stolen/state", "{}", "stolen", "-r", "-P", old, may_fail=True)
    ear = Ear(fleet, fleet.servers[1].mqtt, ["sondygo/stolen/#"], lambda *message: retained.append(message[2]), user="desk")

    def is_heard():
        publish(fleet, server.mqtt, "sondygo/stolen/event", "over", "stolen", may_fail=True)
        return "sondygo/stolen/event" in retained

    wait_until(is_heard, "the new password")
    ear.end()
    check(f"a stolen box is refused, and its values are gone {is_taken, set(retained)}",
          not is_taken and set(retained) == {"sondygo/stolen/event"})
    check("the servers survive it", all(one.process.poll() is None for one in fleet.servers))


class OldServer:
    """A server whose disk is replaced by an older copy."""

    def __init__(self, fleet):
        self.fleet, self.server = fleet, fleet.servers[2]
        self.store, self.copy = self.server.folder / "store", self.server.folder / "old"

    def remember(self):
        self.server.kill()
        shutil.copytree(self.store, self.copy)
        self.server.start()
        wait_until(self.server.is_ready, "the copied server")

    def come_back(self, frames):
        for car in self.fleet.cars:
            if car.gateway:
                car.park()
        before = stream_state(self.server)
        self.server.kill()
        shutil.rmtree(self.store)
        shutil.copytree(self.copy, self.store)
        self.server.start()
        wait_until(self.server.is_ready, "the server with the old stream")

        def is_current():
            try:
                return stream_state(self.server) == stream_state(self.fleet.servers[0])
            except OSError:
                return False

        wait_until(is_current, "the old stream brought up to date")
        # A bridge that had been connected to it may have sent something again.
        first, last, count = stream_state(self.server)
        check(f"a server with an old stream gets all that it lacks: {before} and {last - before[1]} more",
              first == before[0] and last >= before[1] and count == last - first + 1)
        # Now it is one of the two that are left.
        self.fleet.servers[0].kill()
        expected = set().union(*[one.sent for one in frames])
        check(f"with it and one other, all {len(expected)} frames are there", expected <= set(stored(self.fleet, frames)))
        self.fleet.servers[0].start()
