"""Tests that each have a gateway and a browser. They run beside the other tests; the last one runs alone."""
import contextlib
import io
import json
import os
import pathlib
import re
import sqlite3
import tempfile
import time
import urllib.error
import urllib.request

from PIL import Image

from relay import Relay
from rig import ROOM, ROOT, Board, Gateway, Gps, Mosquitto, Page, eventually, free_port
from shared import LAYOUT
from suite import test


@test
def the_page_recovers_from_lost_wifi(_):
    """Packets are lost silently, and connections stay dead. The page reports the loss and recovers by itself."""
    gateway = Gateway(car=Gps())
    relay = Relay(gateway.port)
    page = Page(gateway, url=relay.url)
    try:
        eventually("green", lambda: page.border() == "green" and page.ask("return !!s.chase()?.landing && !!s.landing()"), 100)
        page.watch()
        relay.cut()
        began = time.monotonic()
        so_far = lambda: time.monotonic() - began
        eventually("red", lambda: page.border() == "red", 6)
        red = so_far()
        eventually("striped", page.is_lost, 6)
        striped = so_far()
        eventually("grey, each with its age", lambda: len(page.texts("#numbers .old .age:not(:empty)")) == 3, 10)
        grey = so_far()
        ages = lambda: [int(re.match(r"\d+", text)[0]) for text in page.texts("#numbers .age")]
        eventually("older by the second", lambda: min(ages()) >= 59, 65)
        assert max(ages()) <= so_far() + 3, (ages(), so_far())
        assert re.search(r"No connection to the gateway for (5\d|6\d) s", page.texts("#lost")[0]), page.texts("#lost")
        # The numbers stay, and the page does not report the car as gone.
        assert page.run("return [...document.querySelectorAll('#numbers .line')].map(l => l.dataset.id)") == [
            "distance", "landing_in", "margin"]
        assert "no car" not in page.texts("#small")[0]
        page.picture("wifi-lost-60s")
        page.skew(70)
        eventually("struck, with the age once", lambda: page.texts("#numbers .gone b") and page.texts("#numbers .age") == ["2 min old", "", ""], 5)
        assert "–" not in page.texts("#numbers b"), page.texts("#numbers b")
        page.press("i")
        # What the gateway said of itself is old, too.
        assert all(any(text.startswith(said) and text.endswith(" · 2 min old") for text in page.texts("dialog td"))
                   for said in ("live from the receiver", "climbing")), page.texts("dialog td")
        page.picture("wifi-lost-130s")
        page.press("i")
        assert page.is_lost() and page.border() == "red"
        relay.mend()
        began = time.monotonic()
        eventually("live again", lambda: not page.is_lost() and page.border() == "green")
        print(f"    red after {red:.1f} s, striped after {striped:.1f} s, grey with ages after {grey:.1f} s; "
              f"live {so_far():.1f} s after the network was back")
        assert not page.lies(), page.lies()
        # A late stream counts as lost, just as a missing one does.
        relay.delay = 4
        eventually("not green", lambda: page.border() == "red")
        relay.delay = 0
        eventually("live again", lambda: not page.is_lost() and page.border() == "green")
        assert not page.lies(), page.lies()
    except AssertionError:
        page.picture("failed-wifi")
        raise
    finally:
        page.close()
        gateway.stop()


@test
def drive_near_and_without_a_landing_point(_):
    """Checks the other two tables of Drive, and the beeps of the last 500 m."""
    # Payerne, where the simulated balloon starts.
    car = Gps(latitude=46.8145, longitude=6.9435, course=0, speed=0)
    gateway = Gateway(car=car, PREDICTION_ENABLED="false")
    page = Page(gateway)
    lines = lambda: page.run("return [...document.querySelectorAll('#numbers .line')].map(l => l.dataset.id)")
    try:
        page.run("""
            window.beeps = 0; window.said = [];
            window.AudioContext = class { currentTime = 0; close() {} createOscillator() { return {frequency: {}, connect() {}, start() { beeps++; }, stop() {}}; } };
            speechSynthesis.speak = words => said.push(words.text);""")
        # The sound's module may come later than the page.
        eventually("sound", lambda: page.run("return document.getElementById('sound').ariaPressed") == "true" or page.press("s"))
        eventually("near", lambda: lines() == ["distance", "bearing", "height"])
        # The car stands and so has no course. Heading-up is impossible.
        word = lambda: page.run("return document.querySelector('[data-id=bearing] b').textContent")
        # Nor does its marker point anywhere.
        page.show("map")
        eventually("a round marker", lambda: page.run("return document.querySelector('.mark.car')?.classList.contains('still')"))
        page.show("drive")
        assert word() == "south" and "north is up" in page.texts("#small")[0], word()
        arrow = page.run("return [document.getElementById('arrow').getAttribute('aria-label'), ...['.nose', '#arrow text'].map(q => getComputedStyle(document.querySelector(q)).display != 'none')]")
        assert arrow == ["to sonde · south", False, True], arrow
        page.picture("drive-near")
        heard = eventually("beeps", lambda: page.run("return beeps > 3 && beeps"), 10)
        car.speed = 60
        eventually("by the car's nose", lambda: word() in ("behind", "sharp left", "sharp right"))
        eventually("far from it", lambda: page.ask("return s.chase()?.sonde?.distance_m > 700"))
        beeps = page.run("return beeps")
        assert beeps >= heard
        eventually("2 km", lambda: lines() == ["distance", "closing", "altitude"], 60)
        assert page.run("return document.getElementById('drive').dataset.target") == "sonde"
        assert page.run("return beeps") <= beeps + 1
        page.picture("drive-no-landing-point")
    finally:
        page.close()
        gateway.stop()


@test
def the_landing_point_outlives_the_sonde(_):
    """Minutes after the sonde fell behind a hill, the car still sees how far the landing point is, and in which direction."""
    gateway = Gateway("--burst", "6000", "--fault", "silence@85:900", car=Gps(course=0, speed=0))
    page = Page(gateway)
    try:
        eventually("a landing point", lambda: page.ask("return !!s.chase()?.landing && !!s.landing()"), 100)
        eventually("red", lambda: page.border() == "red", 60)
        page.ask("s.data.position.age_ms += 130000")
        eventually("the sonde's numbers are struck", lambda: page.texts("#numbers .gone .age") == ["2 min old", ""], 5)
        seen = page.ask("""
            const first = document.querySelector('#numbers .line');
            return {classes: first.className, label: first.querySelector('.label').textContent, metres: s.chase().landing.distance_m,
                shown: (({figure, doubt}) => figure.join('') + (doubt ? `± ${doubt.join('')}` : ''))(w.lineText(m.now().lines[0], m.now())), text: first.querySelector('.number').textContent,
                isOld: document.getElementById('arrow').classList.contains('old')}""")
        assert seen["classes"] == "line" and not seen["isOld"], seen
        assert seen["text"] == seen["shown"] != "–", seen
        # The car stands, so the direction is the compass's, and it is there at every size.
        assert re.fullmatch(r"to landing · (north|south|east|west)(-east|-west)?", seen["label"]), seen
        for width, height in Page.SIZES:
            page.resize(width, height)
            page.settle()
            page.picture(f"sonde-lost-{width}x{height}")
            cut = page.run("const l = document.querySelector('#numbers .label'); return l.scrollWidth > l.clientWidth")
            assert not cut, (width, height)
            north = page.run("const r = document.querySelector('#arrow text').getBoundingClientRect(); return [r.width, r.height]")
            assert min(north) >= 8, (width, height, north)
    except AssertionError:
        page.picture("failed-outlives")
        raise
    finally:
        page.close()
        gateway.stop()


@test
def a_landed_sonde_is_shown_and_spoken(_):
    """After a whole flight the page shows the way to the landed sonde, and has spoken each event once."""
    gateway = Gateway("--car", "--burst", "900", "--speed", "10")
    page = Page(gateway)
    try:
        page.run("window.said = []; speechSynthesis.speak = words => said.push(words.text);")
        # The sound's module may come later than the page.
        eventually("sound", lambda: page.run("return document.getElementById('sound').ariaPressed") == "true" or page.press("s"))
        eventually("down", lambda: page.ask("return s.data.state?.phase == 'landed'"), 120)
        eventually("led to the sonde", lambda: page.run("return document.getElementById('drive').dataset.target") == "sonde")
        assert page.run("return [...document.querySelectorAll('#numbers .line')].map(l => l.dataset.id)") == [
            "distance", "bearing", "height"]
        assert "landed" in page.texts("#small")[0]
        page.picture("drive-landed")
        said = eventually("said", lambda: page.run("return said.length && said"))
        assert len(said) == len(set(said)), said
    finally:
        page.close()
        gateway.stop()


@test
def parts_of_the_page_are_missing(_):
    """Words and no arrow without JavaScript or one module; the other screens work without Leaflet."""
    gateway = Gateway()
    page = Page(gateway)
    shown = lambda name: page.run("return !!document.getElementById(arguments[0])?.getClientRects().length", name)

    def without(pattern, path=""):
        page.browser.execute_cdp_cmd("Network.enable", {})
        page.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        page.browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [pattern]})
        page.browser.get("about:blank")
        page.browser.get(gateway.url + path)

    try:
        eventually("started", lambda: page.texts("#numbers .line"))
        assert not shown("unstarted")
        without("*/first.js")
        assert shown("unstarted") and not shown("arrow")
        assert "doctor" in page.texts("#unstarted")[0]
        page.picture("module-missing")
        without("*/leaflet.js", "#map")
        eventually("words", lambda: "libjs-leaflet" in page.texts("#leaf")[0])
        page.picture("leaflet-missing")
        for key in "fl+m":
            page.key(key)
        page.show("drive")
        eventually("numbers", lambda: [text for text in page.texts("#numbers b") if text != "–"])
        faults = [line for line in page.complaints() if "Error:" in line]
        assert not faults, faults
        html = gateway.get("").decode()
        assert "<noscript>" in html and 'id="arrow" class="none"' in html
    finally:
        page.close()
        gateway.stop()


@test
def a_newcomer_is_led(_):
    """Nothing is connected: Drive says what is missing and what to do, and shows neither arrow nor dashes."""
    port = free_port()
    gateway = Gateway(RECEIVER_TRANSPORT="tcp", RECEIVER_HOST="127.0.0.1", RECEIVER_PORT=str(port), program="run")
    page = Page(gateway)
    try:
        text = eventually("advice", lambda: page.run("const a = document.getElementById('newcomer'); return !a.hidden && a.textContent"))
        assert "Receivernot connected. Switch MySondyGo on" in text and "simulated flight" in text, text
        assert "/" not in text.replace("SondeHub", "").split("See the page")[0].replace("http://", ""), text
        assert not page.run("return document.getElementById('numbers').getClientRects().length")
        for width, height in Page.SIZES:
            page.resize(width, height)
            page.picture(f"newcomer-{width}x{height}")
            beside = page.run("return [...document.querySelectorAll('#newcomer ~ *')].filter(e => e.checkVisibility()).map(e => e.id)")
            assert not beside, (width, height, beside)
            bottom = page.run("return document.getElementById('try').getBoundingClientRect().bottom")
            assert bottom <= height, (width, height, bottom)
        # A simulated flight in one touch. It commands nothing, and says all the time what it is.
        page.run("document.getElementById('try').click()")
        eventually("numbers", lambda: [t for t in page.texts("#numbers b") if t not in ("", "–")])
        assert "SIMULATED" in page.texts("#demo")[0]
        assert page.run("return document.body.classList.contains('readonly')")
        for width, height in Page.SIZES:
            page.resize(width, height)
            for screen in ("drive", "map", "crew", "receiver"):
                page.show(screen)
                page.settle(at_rest=False)
                page.picture(f"demo-{screen}-{width}x{height}")
                faults = page.run(LAYOUT)
                assert not faults, (width, height, screen, faults)
                # No part is a title without content.
                empty = page.run("return [...document.querySelectorAll('.part')].filter(e => e.checkVisibility() && e.lastChild.getBoundingClientRect().height < 20).map(e => e.textContent)")
                assert not empty, empty
        assert not page.is_lost()
        page.run("document.querySelector('#demo button').click()")
        eventually("the advice again", lambda: not page.texts("#demo") and page.run("return !document.getElementById('newcomer').hidden"))
    finally:
        page.close()
        gateway.stop()


@test
def the_way_before_the_page_was_opened_is_known(_):
    """A page that is opened late has the car's way as the gateway has recorded it with the flight."""
    gateway = Gateway(car=Gps(speed=30))
    try:
        recorded = lambda: json.loads(urllib.request.urlopen(gateway.url + "api/flights/current/car", timeout=5).read())
        def enough():
            with contextlib.suppress(urllib.error.HTTPError):
                return len(recorded()) >= 4 and recorded()
        earlier = eventually("the way is recorded", enough, within=120)
        page = Page(gateway)
        try:
            begin = eventually("it is known", lambda: page.browser.execute_async_script(
                "const done = arguments[0]; import('/shared/trail.js').then(t => done(t.trail.length > 4 && t.trail[0]))"))
            assert abs(begin["longitude"] - earlier[0][2]) < 1e-5 and abs(begin["latitude"] - earlier[0][1]) < 1e-5, (begin, earlier)
        finally:
            page.close()
    finally:
        gateway.stop()


@test
def a_real_sonde_ends_the_simulated_flight(_):
    """While a person looks at the simulated flight, the gateway hears a real sonde."""
    gateway = Gateway("--launch-delay", "30", "--fault", "silence@0:25")
    page = Page(gateway)
    try:
        page.browser.execute_async_script("const done = arguments[0]; import('/shared/demo.js').then(d => d.startDemo()).then(done)")
        eventually("the real one", lambda: not page.texts("#demo") and page.border() == "green", 60)
    finally:
        page.close()
        gateway.stop()


@test
def no_answer_holds_private_data(_):
    """No answer contains a password, a path or the environment."""
    # No broker listens there: the page must start without one.
    password = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-page-"), "password")
    password.write_text("s3cr3t-of-it")
    gateway = Gateway(
        MQTT_HOST="127.0.0.1", MQTT_PORT=str(free_port()), MQTT_USERNAME="user", MQTT_PASSWORD_FILE=str(password))
    secrets = ["s3cr3t-of-it", str(password), gateway.folder, os.environ["PATH"], str(ROOT)]
    with urllib.request.urlopen(gateway.url + "api/events", timeout=5) as stream:
        told = "".join(stream.readline().decode() for _ in range(40))
    assert "event: bridge_info" in told
    for path in ("", "main.js", "maps.json", "api/flights", "api/settings", "api/sonde-types", "api/track", "flights/current.csv", "live.kml",
                 "dynamic.kml", "api/health", "etc/passwd", "..%2fgateway.sqlite", "maps/x/1/1/1", "flights/x.gpx"):
        try:
            told += gateway.get(path).decode()
        except urllib.error.HTTPError as error:
            told += error.read().decode()
    gateway.stop()
    assert not [secret for secret in secrets if secret in told]


@test
def a_users_map_is_shown(_):
    """A user's raster map lies over the base map, is in the list of layers, and is dark by night. Broken maps are left out."""
    gateway = Gateway()
    maps = pathlib.Path(gateway.folder, "maps")
    maps.mkdir()
    picture = io.BytesIO()
    Image.new("RGB", (256, 256), "#3a7d44").save(picture, "PNG")
    store = sqlite3.connect(maps / "topo.mbtiles")
    store.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    store.executemany("INSERT INTO metadata VALUES (?, ?)", [
        ("format", "png"), ("minzoom", "6"), ("maxzoom", "6"), ("attribution", "A survey")])
    store.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    store.executemany("INSERT INTO tiles VALUES (6, ?, ?, ?)", [
        (x, 63 - y, picture.getvalue()) for x in range(28, 38) for y in range(18, 26)])
    store.commit()
    store.close()
    (maps / "broken.mbtiles").write_bytes(b"SQLite format 3\0" + bytes(4000))
    page = Page(gateway, "#map")
    try:
        eventually("tiles", lambda: page.run("return [...document.querySelectorAll('img.leaflet-tile')].some(t => t.naturalWidth == 256)"))
        assert "A survey" in page.texts("#credit")[0]
        page.press("l")
        assert "topo" in page.texts("dialog label") and "broken" not in page.texts("dialog label")
        page.press("\ue00c")
        page.run("localStorage.night = 'on'")
        eventually("dark", lambda: "invert(1)" in page.run("return getComputedStyle(document.querySelector('.tiles')).filter"))
        page.settle()
        page.picture("map-tiles-night")
        assert not page.complaints()
    finally:
        page.close()
        gateway.stop()


@test
def a_map_of_deep_levels_does_not_freeze_the_page(_):
    """A map with level 16 alone is drawn down to level 14. Farther out, Leaflet would ask for millions of its tiles."""
    gateway = Gateway()
    maps = pathlib.Path(gateway.folder, "maps")
    maps.mkdir()
    picture = io.BytesIO()
    Image.new("RGB", (256, 256), "#3a7d44").save(picture, "PNG")
    store = sqlite3.connect(maps / "deep.mbtiles")
    store.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    store.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    store.execute("CREATE UNIQUE INDEX place ON tiles (zoom_level, tile_column, tile_row)")
    # Around Payerne, where the simulated sonde starts.
    column, row = 34031, 23101
    store.executemany("INSERT INTO tiles VALUES (16, ?, ?, ?)", [
        (column + x, 65535 - row - y, picture.getvalue()) for x in range(-80, 80) for y in range(-80, 80)])
    store.commit()
    store.close()
    page = Page(gateway)
    try:
        page.browser.set_script_timeout(30)
        # Drive loads nothing of the base map.
        eventually("the map is made", lambda: page.run("return document.getElementById('leaf').matches('.leaflet-container')"))
        page.settle()
        assert not page.run("return performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/base/'))")
        page.show("map")
        count = lambda: page.run("return document.querySelectorAll('img.leaflet-tile').length")
        eventually("the names of the base map", lambda: page.texts(".town"))
        page.press("l")
        assert "deep" in page.texts("dialog label")
        page.press("\ue00c")
        assert count() == 0
        # A pinch to the whole world and back asks for none either.
        for _ in range(8):
            page.key("-")
            page.settle()
            assert count() == 0
        eventually("tiles", lambda: page.key("+") or page.settle(False) or 0 < count() < 600)
        page.show("drive")
        eventually("Drive", lambda: page.run("return !document.getElementById('drive').hidden"))
        complaints = page.complaints()
        assert not complaints, complaints
    finally:
        page.close()
        gateway.stop()


@contextlib.contextmanager
def falling_silent(**settings):
    """Returns a page whose border was green. From 8 s on it is red, because the receiver hears nothing."""
    gateway = Gateway("--fault", "silence@8:600", **settings)
    page = Page(gateway)
    try:
        eventually("green", lambda: page.border() == "green")
        eventually("red", lambda: page.border() == "red")
        yield page
    except AssertionError:
        page.picture("silence")
        raise
    finally:
        page.close()
        gateway.stop()


@test
def the_border_is_red_in_silence_grey_without_sources(_):
    """The border is red when the receiver is silent, and grey without any source. Old numbers show their age."""
    with falling_silent() as page:
        eventually("grey", lambda: page.border() == "grey", 60)
        said = page.run("const chip = document.getElementById('chip'); return chip.checkVisibility() && chip.textContent")
        assert re.search(r"^nobody hears it · \d+\ss", said), said
        assert page.run("return document.getElementById('small').classList.contains('old')")
        # It looks worst, not calmest: finer stripes than any other state, of ink.
        stripes = page.run("return getComputedStyle(document.body).backgroundImage")
        assert stripes.startswith("repeating-linear-gradient") and stripes.endswith(" 18px)"), stripes
        eventually("its age", lambda: "old" in "".join(page.texts("#numbers .age")))


@test
def the_border_is_orange_with_sondehub(_):
    """While SondeHub replaces the receiver, the border is orange and a text says so."""
    with falling_silent(SONDEHUB_ENABLED="true") as page:
        eventually("orange", lambda: page.border() == "orange", 60)
        page.picture("drive-sondehub")
        # The source stands beside the small print, with its age.
        said = page.run("const chip = document.getElementById('chip'); return chip.checkVisibility() && chip.textContent")
        assert re.search(r"^SondeHub · (now|\d+\ss)", said), said
        # On a phone, too, its age stands on one line.
        page.resize(390, 844)
        assert page.run("return document.getElementById('chip').getBoundingClientRect().height") < 40
        page.resize(1024, 600)
        # The map also shows the positions that SondeHub heard while the receiver was deaf, not only those since then.
        eventually("the gap is filled", lambda: page.ask(
            "return s.flight().track_points - s.track.filter(p => p[4] == 'ble').length > 8"), 60)
        eventually("and drawn", lambda: page.ask("return Math.abs(s.flight().track_points - s.track.length) < 4"))


@test
def a_read_only_page_sends_no_command(_):
    gateway = Gateway(DASHBOARD_COMMANDS="false")
    page = Page(gateway, "#receiver")
    try:
        eventually("read-only", lambda: page.run("return document.body.classList.contains('readonly')"))
        # The screen says why it has no controls.
        said = eventually("the reason", lambda: page.run(
            "return [...document.querySelectorAll('#receiver .unable')].filter(e => e.offsetParent).map(e => e.textContent)"))
        assert said == ["Read-only: commands are off."], said
        shown = page.run("return [...document.querySelectorAll('#receiver button, #receiver input')].filter(e => e.offsetParent).length")
        assert shown == 0, shown
        request = urllib.request.Request(
            gateway.url + "api/command", b'{"mute":true}', {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request)
            raise AssertionError("the command was taken")
        except urllib.error.HTTPError as error:
            assert error.code == 403
    finally:
        page.close()
        gateway.stop()


@test
def ten_thousand_points_are_drawn_in_time(_):
    """Measures frame times and memory for a minute of flight with 10 000 points on the map."""
    gateway = Gateway(points=10_000, car=Gps(latitude=46.93, longitude=7.06, course=40, speed=20))
    page = Page(gateway, "#map", size=(1280, 720))
    try:
        eventually("the track", lambda: page.ask("return s.track.length >= 9900"))
        seconds = int(os.environ.get("FRAME_SECONDS", "20"))
        page.run("""
            window.frames = []; window.costs = []; let last, begin;
            // From the frame's first callback to the first task behind its drawing.
            const behind = new MessageChannel(); behind.port1.onmessage = () => costs.push(performance.now() - begin);
            const step = t => { begin = performance.now(); if (last) frames.push(t - last); last = t; behind.port2.postMessage(0); requestAnimationFrame(step); };
            requestAnimationFrame(step);
            window.work = []; new PerformanceObserver(l => work.push(...l.getEntries().map(e => e.duration))).observe({type: 'longtask'});""")
        # At 60 Hz a frame takes 16.7 ms however little work it has; a late one takes two. Other programs on this
        # machine only make it slower, so one good window of three is enough.
        for _ in range(3):
            page.run("frames.length = costs.length = work.length = 0")
            time.sleep(seconds)
            frames, costs, work = sorted(page.run("return frames")), sorted(page.run("return costs")), page.run("return work")
            p95, cost = frames[int(len(frames) * 0.95)], costs[int(len(costs) * 0.95)]
            heap = page.run("return performance.memory.usedJSHeapSize") / 1e6
            print(f"    {len(frames)} frames in {seconds} s: p50 {frames[len(frames) // 2]:.1f} ms, p95 {p95:.1f} ms, "
                  f"worst {frames[-1]:.0f} ms; drawing one: p50 {costs[len(costs) // 2]:.1f} ms, p95 {cost:.1f} ms; "
                  f"tasks over 50 ms: {len(work)}; heap {heap:.1f} MB")
            if p95 <= 17.5 and cost <= 16:
                break
        assert p95 <= 17.5 and cost <= 16, (p95, cost)
        assert heap <= 40, heap
        # What a person does costs more. It is told, not judged: without a graphics card the browser draws each step itself.
        for what, keys in (("zooming", "++--"), ("dragged", ["ArrowLeft", "ArrowRight"] * 2)):
            page.run("frames.length = costs.length = 0")
            for key in keys:
                page.key(key)
                time.sleep(1)
            frames = sorted(page.run("return frames"))
            print(f"    {what}: {len(frames) / len(keys):.0f} frames/s, p95 {frames[int(len(frames) * 0.95)]:.1f} ms")
        page.resize(1024, 600)
        page.settle()
        page.picture("track-10000")
        assert not page.complaints()
    finally:
        page.close()
        gateway.stop()


@test
def the_board_shows_a_fleet_and_sends_a_car(_):
    """Two cars on one broker, the board beside them; then one car's gateway stops."""
    broker = Mosquitto()
    cars = [
        Gateway("--car", "--seed", seed, "--mqtt-host", "127.0.0.1", "--mqtt-port", str(broker.port), GATEWAY_ID=name,
                DASHBOARD_ENABLED="false", HOMEASSISTANT_ENABLED="false", SONDEHUB_ENABLED="true")
        for name, seed in (("car1", "3"), ("car2", "3"))]
    board = Board(broker.port)
    page = Page(board, size=(1280, 720))
    try:
        eventually("two cars and one sonde", lambda: len(page.texts("#cars tr[id]")) == 2
                   and len(page.texts(".flight")) == 1 and "dBm" in page.texts(".flight")[0], 90)
        eventually("both receivers hear it", lambda: all(car in page.texts(".flight")[0] for car in ("car1", "car2")), 60)
        eventually("marks of cars and sonde", lambda: page.run(
            "return document.querySelectorAll('.tag.of-car').length + document.querySelectorAll('.tag.of-sonde').length") == 3)
        page.picture("board")
        page.run("document.querySelector('.flight button').click()")
        # What each car does now.
        assert page.texts("dialog button.wide")[:2] == ["send car1 · already hunts it", "send car2 · already hunts it"]
        page.run("[...document.querySelectorAll('dialog button')].find(b => b.textContent.startsWith('send car2')).click()")
        eventually("the question", lambda: page.run("return document.getElementById('yes')"))
        page.run("document.getElementById('yes').click()")
        eventually("the car's answer", lambda: "car2 now hunts" in page.run("return document.getElementById('toast').textContent"))
        cars[0].stop()
        eventually("a car that has stopped", lambda: page.run(
            "return document.querySelector('#car-car1 + .warned .warn')?.textContent ?? ''").startswith(
                "gateway off · last sign of life "), 30)
        page.picture("board-offline")
        answer = board.command("car1", "V1")
        assert answer[0] == 503 and "its gateway is offline" in answer[1], answer
        broker.stop()
        eventually("no broker", lambda: "no broker" in page.run("return document.getElementById('lost').textContent"))
        assert not [one for one in page.complaints() if "503" not in str(one)]
    finally:
        page.close()
        board.stop()
        for car in cars:
            car.stop()
        broker.stop()


def picture_for_the_readme(_):
    """Makes the README's picture, the four screens some minutes before the landing, if README_PICTURE=1."""
    gateway = Gateway("--car", "--speed", "20", "--burst", "7000", "--seed", "3")
    width, height, gap = 800, 480, 10
    page = Page(gateway, "#map", size=(width, height))
    try:
        eventually("low", lambda: page.ask(
            "return s.data.state?.phase == 'descendingBelow10k' && s.position()?.altitude_m < 4500 && !!s.chase()"), 120)
        whole = Image.new("RGB", (2 * width + gap, 2 * height + gap), "white")
        for number, screen in enumerate(["drive", "map", "crew", "receiver"]):
            page.show(screen)
            # At this speed the page never comes to rest.
            page.settle(at_rest=False)
            page.picture(f"readme-{screen}")
            place = (number % 2 * (width + gap), number // 2 * (height + gap))
            whole.paste(Image.open(ROOM / f"readme-{screen}.png"), place)
        picture = ROOT / "deploy/doc/page.png"
        whole.convert("P", palette=Image.ADAPTIVE, colors=64).save(picture, optimize=True)
        assert picture.stat().st_size < 200_000
    finally:
        page.close()
        gateway.stop()


if os.environ.get("README_PICTURE"):
    test(picture_for_the_readme)
