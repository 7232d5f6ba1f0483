"""Tests of `setup` in the browser, each with a gateway of its own."""
import http.server
import json
import pathlib
import tempfile
import threading

from access import contrasts
from rig import LANGUAGES, Gateway, Mosquitto, Page, eventually, free_port
from suite import test

KEY = "abcdefghijklmnop1234"


def configured(**settings):
    """A gateway of which only the page is configured, and a browser that has the page's key."""
    file = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-key-"), "key")
    file.write_text(KEY + "\n")
    bare = {"GATEWAY_ID": None, "SONDEHUB_ENABLED": None, "DASHBOARD_KEY_FILE": str(file)}
    gateway = Gateway("--config", "/dev/null", program="run", **(bare | settings))
    page = Page(gateway, f"?key={KEY}")
    eventually("the page behind its key", lambda: page.texts("#go-receiver"))
    return gateway, page


def speak(page, language):
    """Opens the page in a language, with the questions."""
    page.run("localStorage.language = arguments[0]; location.hash = 'setup'; document.body.dataset.before = '1'", language)
    page.browser.refresh()
    eventually("the questions", lambda: page.run("return !document.body.dataset.before && !!document.querySelector('#setup form')"))


def step(page, name):
    """Touches a question in the list."""
    page.run("document.querySelector(`#setup [data-step='${arguments[0]}']`).click()", name)
    eventually(name, lambda: page.run("return document.querySelector('#setup form').dataset.question") == name)


def answer(page, **fields):
    """Writes into the fields of the question, and goes on."""
    for name, value in fields.items():
        page.run("document.querySelector(`#setup input[name='${arguments[0]}']`).value = arguments[1]", name.replace("_", "-"), value)
    page.run("document.getElementById('setup-next').click()")


def refused(page, words):
    """The question stays, and says why."""
    eventually(words, lambda: words in page.texts("#setup [role=alert]")[0])


def next_is(page, name):
    eventually(f"the question {name}", lambda: page.run("return document.querySelector('#setup form')?.dataset.question") == name)


class Sites:
    """Plays SondeHub's list of launch sites."""

    LIST = {number: {"station": number, "station_name": name, "position": [longitude, latitude], "rs_types": ["41"], "times": []}
            for number, name, latitude, longitude in [
                ("06610", "Payerne", 46.81, 6.94), ("10739", "Stuttgart", 48.83, 9.2), ("10868", "München", 48.24, 11.55),
                ("16080", "Milano", 45.46, 9.28), ("07145", "Trappes", 48.77, 2.01), ("10393", "Lindenberg", 52.21, 14.12)]}

    def __init__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(outer.LIST if self.path.startswith("/sites") else {}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@test
def the_first_visit_asks_what_setup_asks(_):
    """A gateway that nobody has configured asks at once, a simulated flight first; answers are kept, and it starts anew."""
    broker = Mosquitto()
    gateway, page = configured()
    try:
        eventually("the questions open by themselves", lambda: page.run("return !!document.querySelector('#setup form')"))
        first = page.run("return document.querySelector('#setup button').id")
        assert first == "setup-demo", first
        names = page.run("return [...document.querySelectorAll('#setup [data-step]')].map(e => e.dataset.step)")
        assert names == ["language", "receiver", "place", "site", "mqtt-host", "id", "roads", "route", "tablets", "call-sign"], names
        # A reader of another language gets it as the first answer; the question has the focus, not the way out.
        speak(page, "es")
        assert page.texts("#setup [data-step=language] .dim") == ["Español"], page.texts("#setup [data-step=language]")
        assert page.run("return document.querySelector('#setup .pick [aria-pressed=true]').dataset.value") == "es"
        assert page.run("return document.activeElement.tagName") == "H3"
        # The question and the way on are in sight at once.
        for width, height in ((390, 844), (800, 480)):
            page.resize(width, height)
            page.picture(f"setup-first-{width}x{height}")
            assert page.run("return document.getElementById('setup').scrollTop") == 0
            next_button, question, steps = page.run("""
                return ['#setup-next', '#setup h3', '#setup ol'].map(s => document.querySelector(s).getBoundingClientRect().toJSON())""")
            assert next_button["bottom"] <= height and question["bottom"] < next_button["top"], (width, next_button, question)
            assert width > 720 or question["bottom"] < steps["top"], (width, question, steps)
        page.resize(1024, 600)
        speak(page, "en")
        # In any order: the last but one first.
        step(page, "id")
        answer(page, id="My Car")
        refused(page, "My Car")
        answer(page, id="car9")
        next_is(page, "language")
        page.run("document.querySelector('#setup [data-value=fr]').click()")
        answer(page)
        # The receiver: Bluetooth's state is said; a wrong address is refused.
        next_is(page, "receiver")
        answer(page, receiver="AA:BB")
        refused(page, "AA:BB:CC:DD:EE:FF")
        answer(page, receiver="AA:BB:CC:DD:EE:FF")
        # The place, and then the site, which nobody can list without a network.
        next_is(page, "place")
        answer(page, place="46.8,6.9")
        next_is(page, "site")
        answer(page)
        # The broker is tested before it is kept.
        next_is(page, "mqtt-host")
        eventually("whether a broker is here", lambda: page.texts("#setup .pick li"))
        answer(page, mqtt_host=f"127.0.0.1:{free_port()}")
        refused(page, "mosquitto")
        answer(page, mqtt_host=f"127.0.0.1:{broker.port}")
        next_is(page, "roads")
        page.run("document.querySelector(\"#setup [data-value='no']\").click()")
        answer(page)
        next_is(page, "route")
        page.run("document.querySelector(\"#setup [data-value='no']\").click()")
        answer(page)
        next_is(page, "tablets")
        answer(page)
        next_is(page, "call-sign")
        answer(page)
        eventually("the end", lambda: page.texts("#setup-done"))
        text = pathlib.Path(gateway.folder, "setup.yaml").read_text()
        for line in ("car9", "fr", "AA:BB:CC:DD:EE:FF", "46.8", str(broker.port)):
            assert line in text, (line, text)
        page.picture("setup-end")
        page.run("document.getElementById('setup-restart').click()")
        eventually("the gateway with its new name", lambda: page.run(
            "return import('/shared/stream.js').then(s => s.data.bridge_info?.id)") == "car9")
        assert gateway.process.poll() is None, gateway.text()
    finally:
        page.close()
        gateway.stop()
        broker.stop()


@test
def setup_speaks_each_language_on_each_screen(_):
    """`#setup` opens the questions: with the nearest five launch sites, in each language, on each size, readable."""
    sites = Sites()
    gateway, page = configured(SONDEHUB_URL=sites.url, RECEIVER_TRANSPORT="tcp", RECEIVER_HOST="127.0.0.1", RECEIVER_PORT=str(free_port()))
    try:
        speak(page, "en")
        step(page, "place")
        answer(page, place="https://www.openstreetmap.org/#map=12/46.8000/6.9000")
        next_is(page, "language")
        step(page, "site")
        found = eventually("the nearest sites", lambda: (names := page.texts("#setup .pick b")) and len(names) == 6 and names)
        assert found[1] == "Payerne" and "Lindenberg" not in found, found
        answer(page, site="Atlantis")
        refused(page, "Atlantis")
        page.run("document.querySelector(\"#setup [data-value='06610']\").click()")
        answer(page)
        eventually("it is kept", lambda: "06610" in pathlib.Path(gateway.folder, "setup.yaml").read_text())
        heads = set()
        for language in ("en", *LANGUAGES):
            speak(page, language)
            heads |= {page.texts("#setup h2")[0], page.texts("#setup h3")[0]}
            for width, height in Page.SIZES:
                page.resize(width, height)
                faults = page.run("""
                    const d = document.getElementById('setup').getBoundingClientRect();
                    const low = [...document.querySelectorAll('#setup button, #setup input, #setup select')].filter(e => e.checkVisibility())
                        .filter(e => { const r = e.getBoundingClientRect(); return r.height < 44 || r.left < d.left || r.right > d.right + 1; });
                    return low.map(e => `${e.textContent || e.name}: ${JSON.stringify(e.getBoundingClientRect())}`)""")
                assert not faults, (language, width, height, faults)
                page.picture(f"setup-{language}-{width}x{height}")
        assert len(heads) == 2 * (len(LANGUAGES) + 1), heads
        for time in page.by_day_and_night():
            _, low = contrasts(page, "#setup, #setup *", 4.5)
            assert not low, (time, low)
    finally:
        page.close()
        gateway.stop()


@test
def without_a_key_setup_only_says_why(_):
    """Whoever opens a page without a key gets no question, and the command that makes a key."""
    gateway = Gateway("--config", "/dev/null", program="run", RECEIVER_TRANSPORT="tcp", RECEIVER_HOST="127.0.0.1",
                      RECEIVER_PORT=str(free_port()))
    page = Page(gateway, "#setup")
    try:
        eventually("the reason", lambda: page.texts("#setup-closed"))
        assert "sudo sondygo2mqtt setup --tablets yes" in page.texts("#setup code"), page.texts("#setup code")
        assert not page.texts("#setup form")
    finally:
        page.close()
        gateway.stop()


@test
def roads_are_one_yes_away(_):
    """A map without a file says what it would load, from whom, and what that server learns. After a no it stays in the list of
    layers; after one yes the map has roads at once, and names their makers."""
    gateway, page = configured(RECEIVER_TRANSPORT="tcp", RECEIVER_HOST="127.0.0.1", RECEIVER_PORT=str(free_port()))
    card = lambda: page.run("const c = document.getElementById('roads'); return c?.checkVisibility() && c.textContent")

    def answer(value):
        page.run("document.querySelector(`#roads [data-value=${arguments[0]}]`).click()", value)
        eventually("answered", lambda: not card())

    try:
        page.browser.execute_cdp_cmd("Network.enable", {})
        # Nothing is fetched from that server here: the browser asks the gateway for no tile.
        page.browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/maps/online/*"]})
        eventually("no setup in the way", lambda: page.run("document.querySelector('dialog')?.close(); return !document.querySelector('dialog')"))
        page.show("map")
        words = eventually("the question", card)
        # During a simulated flight nobody is asked what the real gateway would keep.
        page.run("import('/shared/demo.js').then(d => d.startDemo())")
        eventually("the simulated flight", lambda: page.run("return !!document.getElementById('demo')"))
        assert not card()
        page.run("document.getElementById('layers').click()")
        assert page.texts("dialog label") and not page.run(
            "return [...document.querySelectorAll('dialog button')].some(b => b.textContent.startsWith('Roads'))")
        page.run("document.querySelector('#demo button').click()")
        eventually("the end", lambda: page.run("return !!document.getElementById('go-map') && !document.getElementById('demo')"))
        eventually("no setup in the way", lambda: page.run("document.querySelector('dialog')?.close(); return !document.querySelector('dialog')"))
        page.show("map")
        eventually("the question once more", card)
        assert "tile.openstreetmap.org" in words and "learns" in words and "keeps" in words, words
        for width, height in (*Page.SIZES, (844, 390)):
            page.resize(width, height)
            page.picture(f"roads-{width}x{height}")
            faults = page.run("""
                const at = e => e.getBoundingClientRect(), box = at(document.getElementById('box')), card = at(document.getElementById('roads'));
                const buttons = [...document.querySelectorAll('#roads button')].map(at), tools = [...document.querySelectorAll('#buttons button')].map(at);
                return [card.left >= box.left && card.right <= box.right && card.bottom <= box.bottom, buttons.every(r => r.height >= 44),
                    tools.every(r => card.right <= r.left || card.bottom <= r.top || card.top >= r.bottom)]""")
            assert faults == [True] * 3, (width, height, faults)
        page.resize(1024, 600)
        answer("no")
        page.browser.refresh()
        page.show("map")
        row = "return [...document.querySelectorAll('dialog button')].find(b => b.textContent.startsWith('Roads'))"
        eventually("the way to the question", lambda: page.run("document.getElementById('layers').click(); return !!(() => {" + row + "})()"))
        assert not card()
        page.run("(() => {" + row + "})().click()")
        eventually("the question again", card)
        began = gateway.process.pid, page.ask("return s.data.bridge_info.started_at")
        answer("yes")
        eventually("their makers", lambda: "© OpenStreetMap contributors" in page.texts("#credit")[0])
        assert [one["name"] for one in json.loads(page.run("return fetch('/maps.json').then(a => a.text())"))] == ["online"]
        assert "tile.openstreetmap.org" in pathlib.Path(gateway.folder, "setup.yaml").read_text()
        assert began == (gateway.process.pid, page.ask("return s.data.bridge_info.started_at")), "it started anew"
        page.run("document.getElementById('layers').click()")
        eventually("a layer", lambda: "Roads" in page.texts("dialog label"))
        assert not page.run(row)
    finally:
        page.close()
        gateway.stop()
