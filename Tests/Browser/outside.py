"""Tests of the page with others: a tile server, a tablet with a key, a fleet's board. They run beside the other tests."""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from rig import LANGUAGES, ROOT, Board, Gateway, Gps, Mosquitto, Page, eventually
from suite import test


class Tiles:
    """The tile server of the other tests."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "Tests/TestSupport/tiles.py")], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, kind):
        return f"http://127.0.0.1:{self.port}/{kind}/{{z}}/{{x}}/{{y}}.png"

    def stop(self):
        self.process.kill()
        self.process.wait()


def look_from_above(page):
    """Zooms out from wherever the map follows to one scale, at which there are towns in the view."""
    eventually("the map follows the car", lambda: page.run("return document.querySelector('.mark.car')?.offsetParent != null"))
    pressed_at = None

    def is_above():
        nonlocal pressed_at
        scale = page.run("const s = document.getElementById('scale'); return !document.querySelector('.leaflet-zoom-anim') && [s.textContent, s.offsetWidth]")
        if not scale or scale == pressed_at:
            return False
        if scale[0].replace("\u00a0", " ") == "50 km":
            return True
        pressed_at = scale
        page.press("-")

    eventually("50 km beside the bar", is_above)


@test
def roads_of_a_tile_server_are_shown_and_kept(_):
    """The gateway fetches the tiles, the browser asks nobody else, and the map names their maker. The tiles stay without the
    server. Where there are none, the page names its own towns."""
    tiles = Tiles()
    gateway = Gateway(car=Gps(), DASHBOARD_TILES_URL=tiles.url("good"), DASHBOARD_TILES_ATTRIBUTION="© Road Makers")
    page = Page(gateway, "#map")
    drawn = "return [...document.querySelectorAll('img.leaflet-tile')].filter(t => t.naturalWidth == 256 && t.src.includes('/online/')).length"
    try:
        look_from_above(page)
        eventually("all tiles of the view", lambda: page.run(drawn) >= 12 and page.run(
            "return [...document.querySelectorAll('img.leaflet-tile')].every(t => t.naturalWidth == 256)"), 60)
        assert "© Road Makers" in page.texts("#credit")[0], page.texts("#credit")
        eventually("no own towns", lambda: not page.texts(".town"))
        page.settle()
        page.picture("map-roads")
        hosts = page.run("return [...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]")
        assert hosts == [f"127.0.0.1:{gateway.port}"], hosts
        page.press("l")
        assert "Roads" in page.texts("dialog label"), page.texts("dialog label")
        page.press("\ue00c")
        complaints = page.complaints()
        assert not complaints, complaints
        page.browser.get("about:blank")
        tiles.stop()
        gateway.kill()
        gateway.start()
        page.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        page.browser.get(gateway.url + "#map")
        look_from_above(page)
        eventually("kept tiles", lambda: page.run(drawn) >= 8)
        complaints = page.complaints()
        assert not complaints, complaints
    finally:
        page.close()
        gateway.stop()
        tiles.stop()


@test
def the_satellites_pictures_are_a_layer_to_switch_on(_):
    """A second map of the network: it is off until somebody switches it on, covers the roads then, and names its maker."""
    tiles = Tiles()
    gateway = Gateway(
        car=Gps(), DASHBOARD_TILES_URL=tiles.url("good"), DASHBOARD_TILES_ATTRIBUTION="© Road Makers",
        DASHBOARD_SATELLITE_URL=tiles.url("good"), DASHBOARD_SATELLITE_ATTRIBUTION="© Picture Makers")
    page = Page(gateway, "#map")
    drawn = "return [...document.querySelectorAll('.photo img.leaflet-tile, img.photo')].filter(t => t.naturalWidth == 256 && t.src.includes('/online-satellite/')).length"
    try:
        look_from_above(page)
        assert page.run("return !document.querySelector('[src*=online-satellite]')")
        assert "Picture" not in page.texts("#credit")[0], page.texts("#credit")
        switch = "[...document.querySelectorAll('dialog label')].find(l => l.textContent == 'Satellite').querySelector('input')"
        page.press("l")
        page.run(f"{switch}.click()")
        page.press("\ue00c")
        eventually("pictures", lambda: page.run(drawn) >= 8, 60)
        assert "© Picture Makers" in page.texts("#credit")[0], page.texts("#credit")
        page.run("localStorage.night = 'on'")
        page.picture("map-satellite")
        # The choice stays in this browser.
        page.browser.get(gateway.url + "#map")
        eventually("pictures again", lambda: page.run(drawn) >= 8, 60)
        complaints = page.complaints()
        assert not complaints, complaints
    finally:
        page.close()
        gateway.stop()
        tiles.stop()


@test
def without_a_network_the_map_has_its_own_towns(_):
    """A tile server that is away changes nothing else: towns, numbers, console."""
    tiles = Tiles()
    gateway = Gateway(car=Gps(), DASHBOARD_TILES_URL=tiles.url("closed"), DASHBOARD_TILES_ATTRIBUTION="© Road Makers")
    page = Page(gateway, "#map")
    try:
        look_from_above(page)
        eventually("towns", lambda: page.texts(".town"), 60)
        hidden = page.run("""
            const names = [...document.querySelectorAll('.town span')].map(e => [e.textContent, e.getBoundingClientRect()]);
            return names.flatMap(([a, r], i) => names.slice(i + 1).filter(([, o]) => r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom).map(([b]) => [a, b]))""")
        assert not hidden, hidden
        eventually("the gateway says why", lambda: "no roads from the tile server" in gateway.text())
        page.picture("map-roads-away")
        complaints = page.complaints()
        assert not complaints, complaints
    finally:
        page.close()
        gateway.stop()
        tiles.stop()


def own_address():
    """An address of this machine that is not its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("198.51.100.1", 9))  # Sends nothing.
        return one.getsockname()[0]


@test
def a_tablet_needs_the_pages_key(_):
    """Without the key another machine gets nothing. The link sets a cookie that no script can read; the receiver's screen
    then has a QR code with the link for the next phone. The box itself needs the key, too, and shows the same code."""
    key = "open-Sesame_7777"
    file = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-key-"), "page_key")
    file.write_text(key + "\n")
    gateway = Gateway(DASHBOARD_ADDRESS="0.0.0.0", DASHBOARD_KEY_FILE=str(file))
    place = f"http://{own_address()}:{gateway.port}/"
    for path in ("", "api/link", "api/events", "main.js", "maps.json", "?key=wrong-key-1"):
        try:
            answer = urllib.request.urlopen(place + path, timeout=5)
            raise AssertionError((path, answer.status))
        except urllib.error.HTTPError as error:
            assert error.code == 401 and key not in error.read().decode(), (path, error.code)
    page = Page(gateway, url=place)
    qr = ("const made = qrcode(0, 'M'); made.addData(arguments[0]); made.make();"
          "const c = document.querySelector('#phone canvas'), g = c.getContext('2d'), n = made.getModuleCount();"
          "for (let y = 0; y < n; y++) for (let x = 0; x < n; x++)"
          " if ((g.getImageData((x + 4) * 6 + 3, (y + 4) * 6 + 3, 1, 1).data[0] == 0) != made.isDark(y, x)) return false;"
          "return c.width == (n + 8) * 6;")
    try:
        assert "needs its key" in page.texts("body")[0], page.texts("body")
        assert len(page.texts("p[lang]")) == len(LANGUAGES) + 1, page.texts("body")
        page.picture("key-missing")
        page.browser.get(place + "?key=wrong-key-2")
        assert "old key" in page.texts("body")[0], page.texts("body")
        # Whoever has only the key types it.
        page.browser.get(place)
        page.run("document.querySelector('input[name=key]').value = arguments[0]; document.querySelector('form').requestSubmit()", key)
        eventually("the page", lambda: page.border() in ("green", "red", "grey"))
        shown, readable = page.run("return [location.href, document.cookie]")
        assert shown.startswith(place) and key not in shown and not readable, (shown, readable)
        cookie, = page.browser.get_cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
        assert 89 < (cookie["expiry"] - time.time()) / 86_400 < 91, cookie
        page.show("receiver")
        eventually("the code", lambda: page.run("return !!document.querySelector('#phone canvas')?.width && !!window.qrcode"))
        assert page.run(qr, f"{place}?key={key}"), "the code is another"
        page.run("document.getElementById('phone').scrollIntoView()")
        page.picture("receiver-key")
        # A second phone that has the link only.
        page.browser.delete_all_cookies()
        page.browser.get(place)
        assert "needs its key" in page.texts("body")[0]
        # The box itself.
        page.browser.get(gateway.url)
        assert "needs its key" in page.texts("body")[0]
        page.browser.get(gateway.url + "?key=" + key)
        eventually("the box's page", lambda: page.border() in ("green", "red", "grey"))
        page.browser.get(gateway.url + "#receiver")
        eventually("the box's code", lambda: page.run("return !!document.querySelector('#phone canvas')?.width && !!window.qrcode"))
        words = page.texts("#phone p")[0]
        # An address, which Android can open, and the name beside it.
        assert key in words and re.search(r"http://\d+\.\d+\.\d+\.\d+:", words) and "127.0.0.1" not in words, words
        assert ".local:" in page.texts("#phone p")[1], page.texts("#phone p")
        complaints = [one for one in page.complaints() if not re.search("401|favicon|willReadFrequently", one)]
        assert not complaints, complaints
    finally:
        page.close()
        gateway.stop()


def publish(broker, car, **values):
    """Retained messages of a car; `health__` in a name means `health/`."""
    for topic, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value)
        subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-r", "-t",
                        f"sondygo/{car}/{topic.replace('__', '/')}", "-m", text], check=True)


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + seconds))


@test
def the_board_fits_and_shows_warnings_and_the_recovery(_):
    """Cars with every warning at a tablet's and a phone's size: nothing is cut off, the map shows all cars closely, the
    recovery is shown, and hostile texts break nothing."""
    broker = Mosquitto()
    serial = "V4210150"
    for number, (latitude, longitude) in enumerate([(46.95, 7.44), (46.99, 7.50), (46.91, 7.40)], 1):
        publish(
            broker, f"chase-car-{number}", bridge__state="online", bridge__uplink="0" if number == 3 else "1",
            health={"at": stamp(-3600 if number == 1 else 0), "clock_synced": number != 2, "other_gateway": "x" if number == 1 else None},
            state={"serial": serial, "state": "liveBLEFlying", "source": "ble", "link": "connected"},
            radio={"serial": serial, "source": "ble", "frequency_mhz": 403.5, "rssi_dbm": -104.5, "battery_pct": 87, "time": stamp(0)},
            chase={"car": {"latitude": latitude, "longitude": longitude, "speed_mps": 13.9, "course_deg": 40, "time": stamp(0)},
                   "landing": {"distance_m": 9000 * number},
                   # Without a road an arrival has no level.
                   "route": {"method": "osrm", "distance_m": 13600, "duration_s": 780, "arrival_at": stamp(780)} if number < 3 else None,
                   "margin_s": {1: -130, 2: -910, 3: 600}[number]})
    publish(
        broker, "chase-car-3", flight={"serial": serial, "phase": "landed"},
        landing={"serial": serial, "latitude": 46.97, "longitude": 7.46, "source": "observed", "time": stamp(-60)},
        recovery={"serial": serial, "state": "recovered", "by": "HB9XYZ", "note": "in a tree <b>" + "w" * 300, "time": stamp(-30),
                  "latitude": 46.97, "longitude": 7.46, "own": True, "queued": False})
    board = Board(broker.port)
    page = Page(board, size=(1280, 800))
    try:
        eventually("three cars and a sonde", lambda: len(page.texts("#cars tr[id]")) == 3 and len(page.texts(".flight")) == 1)
        # A live health makes the first car's clock known.
        publish(broker, "chase-car-1", health={"at": stamp(-3600), "clock_synced": True, "other_gateway": "x"})
        eventually("its warnings", lambda: len(page.texts("#cars .warn")) >= 3)
        # A clock that nobody sets, and that is right, is no fault.
        publish(broker, "chase-car-2", health={"at": stamp(0), "clock_synced": False, "other_gateway": None})
        eventually("no warning", lambda: not page.texts("#car-chase-car-2 + .warned"))
        # When each car is there, and how early or late it is, by a shape, too. A car that can't be reached has no level.
        margins = lambda: sorted(page.run("return [...document.querySelectorAll('.flight li')].map(li => [li.querySelector('b').textContent, li.querySelector('.margin').className, !!li.querySelector('.margin svg'), li.querySelector('.margin').textContent.replace(/\\s/g, ' ')])"))
        expected = [
            ["chase-car-1", "margin aged", False, "2 min late"], ["chase-car-2", "margin bad", True, "15 min late"],
            ["chase-car-3", "margin aged", False, "10 min early"]]
        eventually("margins", lambda: margins() == expected)
        assert page.texts("#car-chase-car-2 td")[7] == "13.6\u00a0km", page.texts("#car-chase-car-2 td")
        # Where cars and sondes are, in words.
        eventually("places", lambda: page.texts("#car-chase-car-2 + .below .where") == ["1.7\u00a0km north of Bolligen"] and any(re.match(r"has landed · 1.8\u00a0km west of Ittigen", text) for text in page.texts(".flight p")))
        for width, height in [(1280, 800), (390, 844), (800, 480)]:
            page.resize(width, height)
            eventually("the map fits", lambda: page.run(
                "const r = document.getElementById('chart').getBoundingClientRect();"
                "return [...document.querySelectorAll('.tag.of-car span span')].filter(t => { const b = t.getBoundingClientRect();"
                " return b.left >= r.left && b.right <= r.right && b.top >= r.top && b.bottom <= r.bottom; }).length == 3"), 10)
            assert page.run("return document.documentElement.scrollWidth") <= width
            cut = page.run("return [...document.querySelectorAll('.lists :is(.warn, td, p, button)')]"
                           ".filter(e => e.getBoundingClientRect().right > e.closest('.lists').getBoundingClientRect().right + 1).map(e => e.textContent)")
            assert not cut, (width, cut)
            over = page.run("return Math.max(...[...document.querySelectorAll('.lists')].map(l => l.scrollWidth - l.clientWidth))")
            assert over <= 0, (width, over)
            page.picture(f"board-{width}x{height}")
            # No name lies on another, and the map has a scale.
            hidden = page.run("""
                const names = [...document.querySelectorAll('.tag span span')].map(e => [e.textContent, e.getBoundingClientRect()]);
                return names.flatMap(([a, r], i) => names.slice(i + 1).filter(([, o]) => r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom).map(([b]) => [a, b]))""")
            assert not hidden, (width, hidden)
            assert re.fullmatch(r"[\d.]+\u00a0k?m", page.texts("#scale")[0]), page.texts("#scale")
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        page.resize(1280, 800)
        eventually("night", lambda: page.run("return document.body.classList.contains('night')"))
        page.picture("board-night")
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        # No language is too long for the narrowest size, and none is English.
        page.resize(390, 844)
        titles, away = set(), set()
        for language in (*LANGUAGES, "en"):
            page.run("localStorage.language = arguments[0]", language)
            page.browser.refresh()
            eventually("the cars again", lambda: len(page.texts("#cars .warn")) >= 3)
            titles.add(page.texts("#cars .warn")[1])
            away.add(page.texts("#car-chase-car-3 + .warned .warn")[0])
            assert page.run("return document.documentElement.lang") == language
            over = page.run("return Math.max(...[...document.querySelectorAll('.lists')].map(l => l.scrollWidth - l.clientWidth))")
            assert over <= 0, (language, over)
            page.picture(f"board-{language}-390x844")
        assert len(titles) == len(away) == len(LANGUAGES) + 1, (titles, away)
        # Cars a few kilometres apart are shown closely: their tags are far from one another.
        page.resize(1280, 800)
        eventually("close", lambda: page.run(
            "const x = [...document.querySelectorAll('.tag.of-car')].map(t => t.getBoundingClientRect().left);"
            "return Math.max(...x) - Math.min(...x)") > 80, 10)
        recovery, = page.texts(".flight .recovery")
        assert recovery.startswith("Recovered · HB9XYZ · in a tree <b>w") and "chase-car-3" in recovery, recovery
        assert "GeoNames" in page.texts("#credit")[0], page.texts("#credit")
        # One car's odd values do not disturb the others' on the map.
        publish(
            broker, "chase-car-2", state={"serial": "__proto__", "state": "constructor"},
            position={"serial": "__proto__", "source": "toString", "latitude": 46.95, "longitude": "abc", "time": stamp(0)},
            track={"serial": "__proto__", "points": [[], [1, "a", "b"], [1, None, None, 1], [1, 46.9, 1e300]]})
        eventually("its card", lambda: "__proto__" in page.texts(".flight h3 span"))
        publish(broker, "chase-car-3", position={
            "serial": "V2", "source": "ble", "latitude": 46.96, "longitude": 7.45, "time": stamp(0)})
        eventually("another car's sonde", lambda: "V2" in page.texts(".tag.of-sonde"))
        # Nobody knows whether a car that can't be reached still hears its sonde.
        publish(
            broker, "chase-car-4", bridge__uplink="0", health={"at": stamp(-200)},
            state={"serial": "V9", "state": "liveBLEFlying", "source": "ble", "link": "connected"},
            position={"serial": "V9", "source": "ble", "latitude": 46.96, "longitude": 7.46, "time": stamp(-200)})
        eventually("its sonde's card", lambda: any("perhaps heard by chase-car-4" in card for card in page.texts("#sonde-V9")))
        assert page.texts("#car-chase-car-4 .aged")[0] == "live from the receiver"
        assert "no connection to the fleet · last sign of life 3 min ago" in page.texts("#cars .warn"), page.texts("#cars .warn")
        complaints = page.complaints()
        assert not complaints, complaints
    except AssertionError:
        page.picture("failed-board-fits")
        raise
    finally:
        page.close()
        board.stop()
        broker.stop()
