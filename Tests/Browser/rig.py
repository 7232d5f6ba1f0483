"""The program, a GPS receiver and a browser for the page's tests."""
import atexit
import datetime
import json
import math
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests"))
from ports import free_port  # noqa: E402
ROOM = ROOT / ".build" / "browser"
PROGRAM = os.environ["PROGRAM"]
# The page's languages besides English.
LANGUAGES = sorted({path.stem for path in (ROOT / "Sources/Languages/Texts").glob("*.txt")} - {"en"})


def eventually(what, condition, within=60):
    """Polls until `condition` returns a true value, and returns it; fails after `within` seconds."""
    end = time.monotonic() + within
    fault = None
    while time.monotonic() < end:
        try:
            value = condition()
            if value:
                return value
        except Exception as error:  # The page may be in the middle of a change.
            fault = error
        time.sleep(0.05)
    raise AssertionError(f"not within {within} s: {what}" + (f" ({fault})" if fault else ""))


class Gps:
    """Plays gpsd with a moving car: one fix a second."""

    def __init__(self, latitude=46.80, longitude=6.90, course=80.0, speed=15.0):
        self.latitude, self.longitude, self.course, self.speed = latitude, longitude, course, speed
        self.is_silent = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        def tell(**record):
            client.sendall(json.dumps(record, separators=(",", ":")).encode() + b"\n")

        try:
            tell(**{"class": "VERSION", "release": "3.22", "proto_major": 3, "proto_minor": 14})
            while True:
                if not self.is_silent:
                    self.longitude += self.speed * math.sin(math.radians(self.course)) / 76000
                    self.latitude += self.speed * math.cos(math.radians(self.course)) / 111195
                    now = time.time()
                    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
                    tell(**{"class": "TPV", "device": "/dev/gps0", "mode": 3, "time": stamp, "lat": self.latitude,
                            "lon": self.longitude, "altMSL": 450.0, "track": self.course, "speed": self.speed,
                            "eph": 5.0})
                time.sleep(1)
        except OSError:
            client.close()


class Gateway:
    """The program with a simulated receiver."""

    def __init__(self, *arguments, car=None, points=0, program="simulate", **settings):
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="sondygo-page-")
        self.settings = {
            "GATEWAY_ID": "test", "GATEWAY_STATE_DIRECTORY": self.folder, "SONDEHUB_ENABLED": "false",
            "DASHBOARD_PORT": str(self.port), **settings,
        }
        if car:
            self.settings |= {"GPSD_ENABLED": "true", "GPSD_PORT": str(car.port)}
        self.command = ["simulate", "--launch-delay", "1"] if program == "simulate" else [program]
        self.arguments = arguments
        self.process = None
        atexit.register(self.stop)  # Also ends the program if a test fails before its end.
        if points:
            self.record(points)
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        environment = os.environ | {f"SONDYGO_{key}": value for key, value in self.settings.items() if value is not None}
        self.log = open(f"{self.folder}/log", "ab")
        self.process = subprocess.Popen(
            [PROGRAM, *self.command, *self.arguments], env=environment, stdout=self.log,
            stderr=subprocess.STDOUT)
        if self.settings.get("DASHBOARD_ENABLED") != "false":
            eventually("the page is served: " + self.text(), lambda: self.get("api/health"))

    def text(self):
        return pathlib.Path(self.folder, "log").read_text()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=5) as answer:
            return answer.read()

    def packed(self, path):
        """The bytes of a file on their way to a browser."""
        request = urllib.request.Request(self.url + path, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            assert answer.headers["Content-Encoding"] == "gzip", path
            return len(answer.read())

    def behind(self):
        """Seconds that its clock is behind: that of a simulated flight stands still while a test stops the process."""
        with urllib.request.urlopen(self.url + "api/events", timeout=5) as stream:
            next(line for line in stream if line.startswith(b"event: alive"))
            told = next(line for line in stream if line.startswith(b"data:"))
            return time.time() - datetime.datetime.fromisoformat(json.loads(told[5:])["at"]).timestamp()

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.process.wait(20)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill(signal.SIGTERM)

    def record(self, count):
        """Writes a long flight of the simulator's sonde to the store."""
        first = Gateway(SONDEHUB_ENABLED="false")
        serial = eventually("a serial", lambda: json.loads(first.get("api/flights"))["flights"][0]["serial"])
        first.stop()
        source = sqlite3.connect(f"{first.folder}/simulated.sqlite")
        path = f"{self.folder}/{'simulated' if 'simulate' in self.command else 'gateway'}.sqlite"
        source.execute("VACUUM INTO ?", (path,))
        source.close()
        store = sqlite3.connect(path)
        flight, = store.execute("SELECT id FROM flight WHERE serial = ?", (serial,)).fetchone()
        store.execute("DELETE FROM point")
        begin = int(time.time()) - count - 5
        store.executemany(
            "INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, 'ble')",
            [(flight, begin + k, (begin + k) * 1000, 46.82 + k * 2e-5 + 0.006 * math.sin(k / 700), 6.94 + k * 3e-5 + 0.004 * math.sin(k / 300),
              500 + min(k, count * 0.7) * 4.0 - max(0, k - count * 0.7) * 9) for k in range(count)])
        store.execute("UPDATE flight SET last_at = ?", ((begin + count) * 1000,))
        store.commit()
        store.close()


class Mosquitto:
    """A broker of its own."""

    def __init__(self):
        self.port = free_port()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-broker-"))
        (folder / "conf").write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        self.process = subprocess.Popen(
            ["mosquitto", "-c", str(folder / "conf")], env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        eventually("the broker listens", lambda: socket.create_connection(("127.0.0.1", self.port)).close() is None)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Board:
    """The board of a fleet, which may send commands."""

    def __init__(self, broker):
        self.port = free_port()
        folder = tempfile.mkdtemp(prefix="sondygo-board-")
        self.process = subprocess.Popen(
            [PROGRAM, "board", "--config", "/dev/null", "--mqtt-host", f"127.0.0.1:{broker}", "--port", str(self.port)],
            env=os.environ | {"SONDYGO_BOARD_COMMANDS": "true", "SONDYGO_GATEWAY_STATE_DIRECTORY": folder},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        eventually("the board is served", lambda: urllib.request.urlopen(self.url, timeout=5).status == 200)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def command(self, car, serial):
        """The status and the text of the answer."""
        request = urllib.request.Request(
            self.url + "api/command", json.dumps({"car": car, "hunt": serial}).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


class Page:
    """A browser with the page open."""

    SIZES = [(800, 480), (1024, 600), (1280, 720), (1920, 1080), (390, 844)]

    def __init__(self, gateway, path="", size=(1024, 600), url=None):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        # root can't use Chromium's sandbox. A headless window is drawn even in the background.
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
                         "--disable-dev-shm-usage", "--enable-precise-memory-info",
                         "--disable-background-networking"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        # A test can speak in the gateway's place, see `ask`.
        self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source":
            "window.EventSource = class extends EventSource { constructor(...given) { super(...given); window.stream = this; } };"})
        self.gateway = gateway
        self.resize(*size)
        self.browser.get((url or gateway.url) + path)

    def resize(self, width, height):
        """Sets the exact size of the page; a window's own size includes its frame."""
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def ask(self, script):
        """Runs a script at one instant, with the page's modules `s` (stream), `m` (model),
        `u` (units) and `w` (words). `tell` gives the page a report as the gateway does."""
        return self.browser.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "const tell = (kind, report) => stream.dispatchEvent(new MessageEvent(kind, {data: JSON.stringify(report)}));"
            "Promise.all(['shared/stream', 'shared/model', 'shared/units', 'drive/words'].map(n => import(`/${n}.js`)))"
            ".then(([s, m, u, w]) => done((() => {" + script + "})()), e => done('' + e))")

    def key(self, name):
        self.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", name)

    def press(self, *keys):
        """Presses real keys; the focused element gets them."""
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser).send_keys(*keys).perform()

    def hold(self, name, x, y):
        """Presses the secondary mouse button at an offset from an element's middle."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        ActionChains(self.browser).move_to_element_with_offset(
            self.browser.find_element(By.ID, name), x, y).context_click().perform()

    def show(self, screen):
        # A page that was just opened has no buttons yet.
        eventually(f"the button of {screen}", lambda: self.run(
            "const button = document.getElementById(`go-${arguments[0]}`); button?.click(); return !!button", screen))

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def border(self):
        return self.run("return document.body.dataset.border")

    def is_lost(self):
        return self.run("return document.body.classList.contains('lost')")

    def follow(self, mode):
        """Presses the key for what the map follows until it is this."""
        following = lambda: self.run("return document.body.dataset.follow") == mode
        eventually(f"the map follows {mode}", lambda: following() or self.key("f") or following())

    def by_day_and_night(self):
        """Gives "day" and then "night", each once the page has its colours; after that the page chooses again."""
        for name, night in (("day", "off"), ("night", "on")):
            self.run("localStorage.night = arguments[0]", night)
            eventually(f"the colours of the {name}", lambda: self.run("return document.body.classList.contains('night')") == (name == "night"))
            yield name
        self.run("localStorage.night = 'auto'")

    def settle(self, at_rest=True):
        """Waits until no animation and no download goes on, and the page is drawn.
        The map's markers glide nearly all the time, each from one report to the next."""
        eventually("rest", lambda: self.browser.execute_async_script("""
            const [atRest, done] = arguments, isMark = a => a.effect.target.matches('.mark');
            const moves = () => document.getAnimations().some(a => a.playState == 'running' && !isMark(a));
            const tiles = [...document.querySelectorAll('#map:not([hidden]) .leaflet-tile')];
            const isWhole = tiles.every(t => t.classList.contains('leaflet-tile-loaded') && getComputedStyle(t).opacity == 1);
            requestAnimationFrame(() => requestAnimationFrame(() => done(isWhole && !(atRest && moves()))));""", at_rest))

    def skew(self, seconds):
        """Sets the browser's clock ahead; the page uses no other clock."""
        self.run("const now = performance.now.bind(performance), ahead = arguments[0] * 1000; performance.now = () => now() + ahead;", seconds)

    def watch(self):
        """Records from now on each old number that is shown as live. It uses a clock of its own."""
        self.run("""
            window.lies = [];
            window.behind = arguments[0];
            import('/shared/stream.js').then(s => {
                let wrong = 0;
                const drive = document.getElementById('drive');
                window.watcher ??= setInterval(() => {
                    const got = s.position()?.received_at, age = got ? (Date.now() - behind - Date.parse(got)) / 1000 : 0;
                    const isGreen = document.body.dataset.border == 'green' && age > 4;
                    const isNew = age > 11 && [...document.querySelectorAll('#drive:not([hidden]) .line:not(.old)')].filter(l => l.querySelector('b').textContent != '–' && !(l.dataset.id == 'distance' && drive.dataset.target == 'landing'));
                    // The page looks at its clock twice a second.
                    wrong = isGreen || isNew.length ? wrong + 1 : 0;
                    if (wrong >= 8) lies.push({age, isGreen, isNew: isNew && isNew.map(l => l.textContent), by: s.age('position')});
                }, 100);
            });""", self.gateway.behind() * 1000)

    def lies(self):
        return self.run("return lies.slice(0, 3)")

    def picture(self, name):
        ROOM.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(ROOM / f"{name}.png"))

    def complaints(self):
        return [line["message"] for line in self.browser.get_log("browser")]

    def close(self):
        self.browser.quit()
