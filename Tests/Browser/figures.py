"""Measures memory and CPU with browsers, streams and hostile clients. Tests/page-figures.sh runs it."""
import math
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

from rig import Gateway, Gps, Page, eventually

SECONDS = int(os.environ.get("SECONDS_EACH", "30"))
TICK = os.sysconf("SC_CLK_TCK")


class Process:
    """A gateway's process, with the kernel's figures."""

    def __init__(self, gateway):
        self.pid = gateway.process.pid

    def memory(self):
        """Resident and anonymous memory in MB."""
        with open(f"/proc/{self.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]

    def cpu(self):
        """CPU time in seconds."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK


def measure(what, plain, served, clients):
    """Prints the difference between a gateway with clients and one without a page. Both run at the same time."""
    before = [p.cpu() for p in (plain, served)]
    began = time.monotonic()
    # One sample for each second of flight: this test measures real time.
    while time.monotonic() - began < SECONDS:
        clients()
        time.sleep(0.2)
    took = time.monotonic() - began
    share = [(p.cpu() - was) / took * 100 for p, was in zip((plain, served), before)]
    (rss0, anon0), (rss1, anon1) = plain.memory(), served.memory()
    print(f"{what:34} RSS {rss1:.1f} MB (+{rss1 - rss0:.1f}), anonymous {anon1:.1f} MB (+{anon1 - anon0:.1f}), "
          f"CPU {share[1]:.2f} % of a core (+{share[1] - share[0]:.2f})", flush=True)


class Client:
    """A connection that sends exact bytes."""

    def __init__(self, port, text="", buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.received = b""
        self.is_closed = False
        self.send(text)

    def send(self, text):
        try:
            self.socket.send(text.encode())
        except BlockingIOError:
            pass
        except OSError:
            self.is_closed = True

    def read(self):
        """Reads; returns whether the connection is still open."""
        try:
            while data := self.socket.recv(65_536):
                self.received += data
            self.is_closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.is_closed = True
        return not self.is_closed

    @property
    def status(self):
        return self.received[9:12].decode() or "no answer"


def request(path, *fields, method="GET", host="localhost", body=""):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines) + "\r\n\r\n" + body


class Hostile:
    def __init__(self, gateway):
        self.gateway = gateway
        self.process = Process(gateway)

    def good(self):
        """The time of the slowest of ten good requests in ms; infinite if one is refused."""
        worst = 0
        for _ in range(10):
            began = time.monotonic()
            try:
                urllib.request.urlopen(self.gateway.url + "api/health", timeout=10).read()
            except urllib.error.HTTPError:
                return math.inf
            worst = max(worst, time.monotonic() - began)
        return worst * 1000

    def until_closed(self, what, text, keep=None, buffer=None, within=60):
        """Runs one client and prints its answer, and when the server closed it. The client repeats `keep`."""
        rss, _ = self.process.memory()
        began = time.monotonic()
        client = Client(self.gateway.port, text, buffer)

        def gone():
            if keep:
                client.send(keep)
            return not client.read()

        eventually("closed: " + what, gone, within)
        self.tell(what, f"{client.status}, closed after {time.monotonic() - began:.1f} s", rss)

    def answer(self, what, text):
        rss, _ = self.process.memory()
        client = Client(self.gateway.port, text)
        eventually("an answer", lambda: client.read() and client.received or client.is_closed)
        self.tell(what, client.status, rss)

    def tell(self, what, outcome, rss):
        print(f"{what:34} {outcome}; a good request beside it {self.good():.0f} ms at worst; "
              f"RSS +{self.process.memory()[0] - rss:.1f} MB", flush=True)

    def run(self):
        port = self.gateway.port
        json = "Content-Type: application/json"
        self.answer("a name that is not ours", request("/", host="evil.example"))
        self.answer("a POST of another page", request("/api/command", json, "Origin: http://evil.example", method="POST", body='{"mute":true}'))
        self.answer("a form's POST", request("/api/command", "Content-Type: text/plain", method="POST", body='{"mute":true}'))
        self.answer("a path upwards", request("/../../etc/passwd"))
        self.until_closed("a head of 9 kB", request("/", "X: " + "x" * 9000))
        self.until_closed("a body of 400 MB", request("/api/command", json, "Content-Length: 400000000", method="POST") + "x" * 50_000, keep="x" * 50_000)
        self.until_closed("half a head", "GET / HTTP/1.1\r\nHost: lo")
        self.until_closed("a head that drips", "GET / HTTP/1.1\r\nX: ", keep="x")
        self.until_closed("half a body", request("/api/command", json, "Content-Length: 20", method="POST") + "{")

        rss, _ = self.process.memory()
        slow = [Client(port, "GET / HTTP/1.1\r\nHost: ") for _ in range(100)]
        worst = self.good()
        print(f"{'100 half heads at once':34} {sum(c.read() for c in slow)} are open; a good request beside them {worst:.0f} ms at worst; "
              f"RSS +{self.process.memory()[0] - rss:.1f} MB", flush=True)
        del slow

        rss, _ = self.process.memory()
        streams = [Client(port, request("/api/events")) for _ in range(16)]
        eventually("sixteen pages", lambda: all(c.read() and c.received for c in streams))
        self.answer("a 17th page", request("/api/events"))
        half = request("/api/command", json, "Content-Length: 20", method="POST") + "{"
        busy = [Client(port, half) for _ in range(16)]
        eventually("the 33rd refused", lambda: self.refused(port), 4)
        print(f"{'the 33rd connection':34} 503; RSS +{self.process.memory()[0] - rss:.1f} MB with 16 pages and 16 half bodies", flush=True)
        del busy, streams

        rss, _ = self.process.memory()
        began = time.monotonic()
        # Each client asks for 2.8 MB.
        greedy = [Client(port, request("/leaflet/leaflet.js") * 20, buffer=4096) for _ in range(32)]
        worst = max(self.good() for _ in range(10))
        print(f"{'32 that ask for files, read none':34} RSS +{self.process.memory()[0] - rss:.1f} MB; a good request beside them {worst:.0f} ms at worst", flush=True)
        del greedy

        rss, _ = self.process.memory()
        blocked = Client(port, request("/api/events"), buffer=4096)
        began = time.monotonic()
        most = [0]

        def watch():
            while not most[0] or blocked.socket.fileno() > 0:
                most[0] = max(most[0], self.process.memory()[0])
                time.sleep(0.5)

        threading.Thread(target=watch, daemon=True).start()
        while time.monotonic() - began < SECONDS:
            time.sleep(0.5)
        print(f"{'a page that never reads, ' + str(SECONDS) + ' s':34} RSS +{most[0] - rss:.1f} MB at most; a good request {self.good():.0f} ms at worst", flush=True)
        blocked.socket.close()

    @staticmethod
    def refused(port):
        client = Client(port)
        eventually("a word", lambda: not client.read() or client.received, 3)
        return client.status == "503"


def main():
    car = Gps()
    plain = Gateway(car=Gps(), DASHBOARD_ENABLED="false")
    served = Gateway(car=car)
    a, b = Process(plain), Process(served)
    # Wait until both gateways have a prediction.
    eventually("a prediction", lambda: b"landing_in_s" in urllib.request.urlopen(served.url + "api/events").read1(20_000), 100)
    measure("nobody looks", a, b, lambda: None)
    pages = [Page(served, f"#{screen}") for screen in ("drive", "map", "receiver", "drive")]
    measure("4 browsers", a, b, lambda: None)
    for page in pages:
        page.close()
    streams = [Client(served.port, request("/api/events")) for _ in range(16)]
    measure("16 streams", a, b, lambda: [c.read() for c in streams])
    del streams
    plain.stop()
    Hostile(served).run()
    served.stop()


if __name__ == "__main__":
    sys.exit(main())
