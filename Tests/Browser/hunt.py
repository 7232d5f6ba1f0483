"""Tests of the signal hunt on the page: the bar, the tone, the dots, and the bearings."""
import math
import re

from access import contrasts
from rig import Gateway, Gps, Page, eventually
from shared import LAYOUT
from suite import test

# Speaks for the gateway at one instant, and draws: a signal of the followed sonde, and how old its place is.
SAY = """
    const {position, state, chase, landing, bearings, bridge_info} = s.data, kept = {...s.data};
    const say = changes => tell('signal', {serial: state.serial, rssi_dbm: -87, mean_dbm: -88.2, peak_dbm: -79.6, trend: null,
        heard_at: s.data.alive.at, estimate: null, ...changes});
    say({serial: 'X1234567', age_ms: 200000});
    // By so much the messages of a busy gateway come late.
    const lag = s.since('signal');
    const hear = changes => say({...changes, age_ms: (changes?.age_ms ?? 100) - lag});
    const aged = ms => { s.data.position = {...position, age_ms: ms}; };
    const draw = (key = 'd') => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    const at = id => document.getElementById(id), isSeen = id => at(id).checkVisibility();
    // What a test said before tells nothing here.
    const forget = () => hear({serial: 'X1234567', age_ms: 200000});
    const end = value => { Object.assign(s.data, kept); forget(); draw(); return value; };
"""

# The commands that the page sends from now on are collected and answered here.
CATCH = """
    window.answered ??= window.fetch;
    window.sent = [];
    window.fetch = (path, options) => {
        if (options?.method != 'POST') return answered(path, options);
        const {id, ...body} = JSON.parse(options.body);
        sent.push(body);
        return Promise.resolve(new Response(JSON.stringify({id, status: 'confirmed', final: true, applied: {}})));
    };"""

TONES = """
    window.tones = []; window.said = []; window.kept = {speak: speechSynthesis.speak, AudioContext};
    speechSynthesis.speak = words => said.push(words.text);
    window.AudioContext = class { currentTime = 0; state = 'running'; close() { window.isClosed = true; } resume() { return Promise.resolve(); }
        createOscillator() { const frequency = {value: 0}; return {frequency, connect() {}, start() { tones.push(frequency.value); }, stop() {}}; } };"""


def way(a, b):
    """Metres and degrees from one place to another that is near."""
    north = (b["latitude"] - a["latitude"]) * 111195
    east = (b["longitude"] - a["longitude"]) * 111195 * math.cos(math.radians(a["latitude"]))
    return math.hypot(north, east), math.degrees(math.atan2(east, north)) % 360


def ahead(bearing, metres=1200):
    """The place so far along a bearing."""
    at, degrees = bearing["from"], math.radians(bearing["bearing_deg"])
    return {"latitude": at["latitude"] + metres * math.cos(degrees) / 111195,
            "longitude": at["longitude"] + metres * math.sin(degrees) / 111195 / math.cos(math.radians(at["latitude"]))}


def is_ready(page):
    return eventually("the bar's module", lambda: page.run("return !!document.getElementById('hunt')"))


def close(page):
    page.run("document.querySelector('dialog')?.close()")
    eventually("closed", lambda: not page.texts("dialog"))


@test
def a_sonde_that_says_no_place_is_hunted(_):
    """The receiver hears a sonde that never says a place: from its strength over three bearings to a landing point."""
    car = Gps(latitude=46.80, longitude=6.90, course=80, speed=15)
    gateway = Gateway("--fault", "placeless@0:100000", "--speed", "1", car=car)
    page = Page(gateway)
    bearings = lambda: page.ask("return s.data.bearings?.bearings ?? []")
    place = lambda: eventually("the car", lambda: page.ask("return s.chase()?.car"))
    try:
        eventually("the bar", lambda: page.run("return document.getElementById('hunt')?.checkVisibility()"))
        # It is heard: the page leads no newcomer.
        assert page.run("return document.getElementById('newcomer').hidden")
        assert page.texts("#word") == ["Heard, but no place"] and page.texts("#chip")[0].startswith("Receiver: says no place")
        seen = page.ask("return [s.data.signal, [...document.querySelectorAll('#numbers .line')].map(l => [l.dataset.id, l.querySelector('b').textContent])]")
        assert [name for name, _ in seen[1]] == ["rssi", "mean", "peak"], seen
        assert re.fullmatch(r"−\d+", seen[1][0][1]), seen
        for width, height in (*Page.SIZES, (800, 1280)):
            page.resize(width, height)
            for time in page.by_day_and_night():
                faults = page.run(LAYOUT)
                assert not faults, (width, height, faults)
                count, low = contrasts(page, "#hunt *", 7)
                assert count >= 3 and not low, (time, low)
                page.picture(f"hunt-{width}x{height}-{time}")
        page.resize(1024, 600)
        # By one touch, along the car's course.
        eventually("a course", lambda: page.ask("return s.chase()?.car.course_deg > 0"))
        page.run("document.getElementById('ahead').click()")
        first, = eventually("a bearing", bearings)
        assert abs(first["bearing_deg"] - 80) < 2 and first["source"] == "command", first
        eventually("answered", lambda: page.texts("#toast") == ["Done: Bearing"])
        # By degrees, after some way to the side.
        car.course, car.speed = 170, 60
        for n, metres in enumerate((450, 900)):
            eventually("the car is there", lambda: way(first["from"], place())[0] > metres)
            page.run("document.getElementById('bearings').click()")
            degrees = way(place(), ahead(first))[1]
            page.run("document.getElementById('degrees').value = arguments[0]; document.getElementById('strongest').click()", f"{degrees:.1f}".replace(".", ","))
            eventually("one more", lambda: len(bearings()) == n + 2)
            eventually("in the list", lambda: len(page.texts("dialog .bearings li")) == n + 2)
            close(page)
        estimate = eventually("they cross", lambda: page.ask("return s.data.bearings.estimate"))
        assert way(estimate, ahead(first))[0] < estimate["error_radius_90_m"], (estimate, ahead(first))
        car.speed = 10
        eventually("the landing point", lambda: page.ask("return s.landing()?.source") == "bearings")
        eventually("Drive leads there", lambda: page.run("return document.getElementById('drive').dataset.target") == "landing"
                   and page.texts("#drive [data-id=distance] .doubt"))
        assert "by bearings" in page.texts("#small")[0].lower(), page.texts("#small")
        page.show("map")
        shapes = lambda: page.browser.execute_async_script("""
            const done = arguments[0];
            import('/map/hunt.js').then(({layers}) => {
                const all = layers.bearings.getLayers(), lines = all.filter(l => l.getLatLngs);
                done([all.filter(l => l.getRadius).length, lines.filter(l => l.getLatLngs().length == 2).length,
                    lines.filter(l => l.getLatLngs().length > 2).map(l => { const c = l.getBounds().getCenter(); return [c.lat, c.lng]; }), layers.signal.getLayers().length]);
            })""")
        drawn = eventually("three lines and an ellipse", lambda: (one := shapes())[:2] == [3, 3] and len(one[2]) == 1 and one)
        middle, = drawn[2]
        assert abs(middle[0] - estimate["latitude"]) < 1e-3 and abs(middle[1] - estimate["longitude"]) < 1e-3, (drawn, estimate)
        assert drawn[3] >= 3 and page.run("return document.getElementById('levels').checkVisibility()"), drawn
        for time in page.by_day_and_night():
            page.picture(f"hunt-map-{time}")
        # A page that is loaded anew still has both.
        page.browser.refresh()
        eventually("again", lambda: page.run("return !!window.L") and page.show("map") is None and shapes()[0] == 3 and shapes()[3] >= drawn[3])
        # One by one they are forgotten, and with the third the place.
        page.show("drive")
        is_ready(page)
        page.run("document.getElementById('bearings').click()")
        for left in (2, 1):
            page.run("document.querySelector('dialog .bearings button').click()")
            eventually(f"{left} left", lambda: len(bearings()) == left and len(page.texts("dialog .bearings li")) == left)
        assert page.ask("return !s.data.bearings.estimate")
        eventually("no landing point", lambda: page.ask("return !s.landing()"))
        page.run("document.querySelector('dialog .wide.mine').click()")
        eventually("asked", lambda: "Forget all" in page.texts("dialog h2")[0])
        page.run("document.getElementById('yes').click()")
        eventually("none", lambda: not bearings())
    finally:
        page.close()
        gateway.stop()


@test
def the_bar_gives_way_to_a_place(p):
    """It is there while the sonde is heard without a place, and near it; never for another sonde's signal."""
    page = p.page
    is_ready(page)
    seen = page.ask(SAY + """
        const shown = () => { draw(); return [isSeen('hunt'), document.querySelector('#drive').classList.contains('hunting'), isSeen('ribbon')]; };
        const seen = {};
        hear();
        aged(500);
        seen.live = shown();
        aged(11000);
        seen.placeless = shown();
        seen.chip = at('chip').textContent;
        s.data.state = {...state, state: 'noTelemetry', source: null};
        draw();
        seen.word = [at('word').textContent, document.body.dataset.border, at('chip').textContent];
        s.data.state = state;
        // SondeHub's place comes in the middle.
        s.data.state = {...state, state: 'aprsFlying', source: 'sondehub'};
        aged(17000);
        seen.sondehub = shown();
        s.data.state = state;
        aged(11000);
        hear({age_ms: 61000});
        seen.silent = shown();
        hear({serial: 'X1234567'});
        seen.other = shown();
        forget();
        hear({age_ms: 61000});
        s.data.chase = {...chase, sonde: {...chase.sonde, distance_m: 900}, landing: null};
        aged(500);
        s.data.position.altitude_m = 500;
        seen.near = shown();
        seen.old = [at('hunt').classList.contains('old'), at('hunt').textContent];
        return end(seen);""")
    assert seen["live"][:2] == seen["sondehub"][:2] == seen["silent"][:2] == seen["other"][:2] == [False, False], seen
    assert seen["placeless"] == [True, True, False] and seen["near"] == [True, True, False], seen
    assert seen["chip"].startswith("Receiver: says no place"), seen
    # "Nobody hears it" would be wrong.
    assert seen["word"][0] != "Nobody hears it" and seen["word"][1] == "red" and "says no place" in seen["word"][2], seen
    assert seen["old"][0] and re.search(r"6\d s old", seen["old"][1]), seen


@test
def the_bar_says_how_strong_it_is(p):
    page = p.page
    is_ready(page)
    seen = page.ask(SAY + """
        aged(11000);
        const read = () => { draw(); return {text: [...document.querySelectorAll('.strength p > span, .strength b')].filter(e => e.checkVisibility()).map(e => e.textContent.trim()),
            fill: document.querySelector('.gauge .fill').style.width, peak: document.querySelector('.gauge .peak').style.left,
            name: document.querySelector('.gauge').getAttribute('aria-valuetext')}; };
        hear({trend: 'rising'});
        const seen = [read()];
        hear({trend: 'falling', rssi_dbm: -130, age_ms: 4000});
        seen.push(read());
        // Two on one frequency: the followed one's is shown, and the other is named.
        hear({rssi_dbm: -100, mean_dbm: -101, peak_dbm: -99});
        hear({serial: 'X1234567', rssi_dbm: -50, mean_dbm: -51, peak_dbm: -49});
        seen.push(read());
        return end([seen, state.serial]);""")
    (rising, old, two), serial = seen
    assert rising["text"] == ["−87\u00a0dBm", "getting stronger", "mean −88 · peak −80"], rising
    assert abs(float(rising["fill"][:-1]) - 47.8) < .1 and abs(float(rising["peak"][:-1]) - 56) < .1, rising
    assert "−87" in rising["name"] and "getting stronger" in rising["name"], rising
    # An old frame has no trend any more.
    assert old["text"] == ["−130\u00a0dBm", "mean −88 · peak −80 · 4 s old"] and old["fill"] == "0%", old
    assert two["text"][0] == "−100\u00a0dBm" and f"{serial} + X1234567" in two["text"][1], two


@test
def the_tone_follows_each_frame(p):
    """Its pitch is the frame's own, within the same turn; it needs no voice, and is silent where nothing is known."""
    page = p.page
    page.show("drive")
    is_ready(page)
    page.run(TONES)
    try:
        seen = page.ask(SAY + """
            const pressed = () => at('tone').getAttribute('aria-pressed');
            aged(11000);
            // Each frame comes half a second after the last one.
            const real = performance.now.bind(performance);
            let ahead = 0;
            performance.now = () => real() + ahead;
            const frame = changes => { ahead += 500; const before = tones.length; hear(changes); return tones.slice(before).map(Math.round); };
            hear();
            draw();
            const seen = {before: [frame(), pressed()]};
            at('tone').click();
            seen.on = [pressed(), at('sound').ariaPressed, said.length];
            seen.frames = [-120, -80, -40].map(rssi_dbm => frame({rssi_dbm}));
            seen.old = frame({age_ms: 3500});
            frame();
            seen.other = frame({serial: 'X1234567', rssi_dbm: -40});
            forget();
            at('tone').click();
            seen.off = [frame(), pressed(), window.isClosed];
            performance.now = real;
            return end(seen);""")
        assert seen["before"] == [[], "false"], seen
        assert seen["on"] == ["true", "false", 0], seen
        assert seen["frames"] == [[440], [880], [1760]], seen
        assert seen["old"] == [], seen
        # Another sonde's frame is never heard as the followed one's.
        assert 1760 not in seen["other"], seen
        assert seen["off"] == [[], "false", True], seen
        # The voice and the tone are switched each by its own button.
        seen = page.ask(SAY + """
            aged(11000);
            hear();
            draw();
            const pressed = () => ['sound', 'tone'].map(id => at(id).getAttribute('aria-pressed'));
            const seen = [];
            for (const id of ['sound', 'tone', 'sound', 'tone']) { at(id).click(); draw(); seen.push(pressed()); }
            return end(seen);""")
        assert seen == [["true", "false"], ["true", "true"], ["false", "true"], ["false", "false"]], seen
    finally:
        page.run("speechSynthesis.speak = kept.speak; window.AudioContext = kept.AudioContext")


@test
def a_bearing_that_would_be_wrong_is_refused(p):
    """A car without a course or a position, another sonde's signal, degrees that are none: a reason, and nothing is sent."""
    page = p.page
    page.show("drive")
    is_ready(page)
    page.run(CATCH)
    try:
        seen = page.ask(SAY + """
            const touch = id => { at('toast').textContent = ''; draw(); at(id).click(); return at('toast').textContent; };
            const seen = {};
            aged(11000);
            hear();
            s.data.chase = {...chase, car: {...chase.car, course_deg: null, speed_mps: 0}};
            seen.course = touch('ahead');
            s.data.chase = {car: null};
            seen.car = touch('ahead');
            s.data.chase = chase;
            hear({age_ms: 20000});
            hear({serial: 'X1234567'});
            s.data.chase = {...chase, sonde: {...chase.sonde, distance_m: 900}, landing: null};
            aged(500);
            seen.other = touch('ahead');
            forget();
            hear();
            s.data.chase = chase;
            aged(11000);
            draw();
            at('bearings').click();
            seen.typed = ['', 'x', '361', '-5'].map(text => { at('degrees').value = text; return touch('strongest'); });
            seen.sent = sent.length;
            at('degrees').value = '359,5°';
            at('strongest').click();
            document.querySelector('dialog').close();
            seen.then = sent.slice();
            return end([seen, state.serial]);""")
        said, serial = seen
        assert said["course"].startswith("The car stands and has no course."), said
        assert said["car"].startswith("The car's position is not known."), said
        assert said["other"] == f"The receiver hears X1234567, but the page follows {serial}. Hunt X1234567 first.", said
        assert said["typed"] == ["Degrees: a number from 0 to 360."] * 4 and said["sent"] == 0, said
        assert said["then"] == [{"bearing": {"bearing_deg": 359.5}}], said
    finally:
        page.run("window.fetch = answered")


@test
def the_phones_compass_gives_the_bearing(p):
    """Android's and an iPhone's event, with the screen turned; who says no to an iPhone's question types the degrees."""
    page = p.page
    page.show("map")
    page.run(CATCH)
    try:
        eventually("the menu", lambda: page.run("document.getElementById('more').click(); return !!document.getElementById('take-bearing')"))
        page.run("document.getElementById('take-bearing').click(); document.getElementById('compass').click()")
        turn = """
            const event = new Event('ondeviceorientationabsolute' in window ? 'deviceorientationabsolute' : 'deviceorientation');
            dispatchEvent(Object.assign(event, arguments[0])); return document.getElementById('degrees').value"""
        # An event's own members can't be set: these are given to a plain one.
        android = lambda: page.run(turn.replace("Object.assign(event, arguments[0])", """
            Object.defineProperties(event, {alpha: {value: 270}, absolute: {value: true}})"""))
        eventually("the compass is listened to", lambda: android() == "90")
        assert page.run(turn, {"webkitCompassHeading": 123.4}) == "123"
        assert page.texts("dialog label b") == ["south-east"]
        # What is typed stays.
        page.run("const d = document.getElementById('degrees'); d.value = '10'; d.dispatchEvent(new Event('input'))")
        assert page.run(turn, {"webkitCompassHeading": 200}) == "10"
        page.run("document.getElementById('strongest').click()")
        assert page.run("return sent") == [{"bearing": {"bearing_deg": 10}}]
        close(page)
        page.run("DeviceOrientationEvent.requestPermission = () => Promise.resolve('denied'); document.getElementById('more').click()")
        page.run("document.getElementById('take-bearing').click(); document.getElementById('compass').click()")
        eventually("a reason", lambda: page.texts("#toast") == ["This browser gives no compass. Type the degrees."])
        assert page.run(turn, {"webkitCompassHeading": 50}) == ""
        close(page)
        turned = page.browser.execute_async_script("""
            const done = arguments[0];
            import('/hunt/compass.js').then(({heading}) => done([heading({alpha: 10, absolute: true}, 90), heading({alpha: 10, absolute: false}, 0), heading({webkitCompassHeading: 350}, 90)]))""")
        assert turned == [80, None, 80], turned
    finally:
        page.run("window.fetch = answered; delete DeviceOrientationEvent.requestPermission")
        page.show("drive")


@test
def without_a_car_a_bearing_has_a_place_on_the_map(p):
    page = p.page
    page.show("map")
    page.follow("sonde")
    page.run(CATCH)
    try:
        page.hold("leaf", -60, 40)
        eventually("a card", lambda: "Bearing from here" in page.texts("dialog button"))
        page.run("[...document.querySelectorAll('dialog button')].find(b => b.textContent == 'Bearing from here').click()")
        eventually("the sheet", lambda: page.texts("dialog h2") == ["Bearings"])
        place = re.search(r"From (\S+), (\S+)", page.texts("dialog p")[0]).groups()
        page.ask("const {chase} = s.data; s.data.chase = {car: null}; document.getElementById('degrees').value = '45'; document.getElementById('strongest').click(); s.data.chase = chase;")
        order, = page.run("return sent")
        sent = order["bearing"]
        assert sent["bearing_deg"] == 45, sent
        assert abs(sent["from"]["latitude"] - float(place[0])) < 1e-4 and abs(sent["from"]["longitude"] - float(place[1])) < 1e-4, (sent, place)
        close(page)
    finally:
        page.run("window.fetch = answered; document.querySelector('dialog')?.close()")
        page.show("drive")


@test
def a_read_only_page_hunts_without_commands(p):
    """The bar and the tone stay; no button is left that would send something. The keyboard reaches those that are."""
    page = p.page
    page.show("drive")
    is_ready(page)
    page.run(CATCH)
    seen = page.ask(SAY + """
        aged(11000);
        hear();
        const reached = () => { draw(); return ['tone', 'ahead', 'bearings'].filter(id => { const isThere = isSeen(id); at(id).focus(); return isThere && document.activeElement.id == id; }); };
        const seen = {all: reached()};
        draw('b');
        seen.key = sent.splice(0);
        s.data.bridge_info = {...bridge_info, configuration: {...bridge_info.configuration, 'dashboard.commands': 'false'}};
        s.data.bearings = {serial: state.serial, estimate: null, bearings: [{id: '1', bearing_deg: 50, from: {latitude: 46.7, longitude: 6.9}, sigma_deg: 20, source: 'command', time: s.data.alive.at, used: null}]};
        seen.few = reached();
        draw('b');
        seen.pressed = sent.length;
        at('bearings').click();
        seen.sheet = [...document.querySelectorAll('dialog button, dialog input')].filter(e => e.checkVisibility()).map(e => e.textContent);
        seen.list = document.querySelector('dialog .bearings').textContent;
        document.querySelector('dialog').close();
        seen.sent = sent;
        document.activeElement.blur();
        return end(seen);""")
    page.run("window.fetch = answered")
    # The key does what the button does, and nothing where there is none.
    assert seen["key"] == [{"bearing": "ahead"}] and seen["pressed"] == 0, seen
    assert seen["all"] == ["tone", "ahead", "bearings"] and seen["few"] == ["tone", "bearings"], seen
    assert seen["sheet"] == ["Close"] and "50° north-east ± 20°" in seen["list"] and not seen["sent"], seen


@test
def the_clock_moves_no_age_of_a_signal(p):
    """The gateway's clock is set by hours while the sonde is heard: the signal is as old as it was, the bar stays live."""
    page = p.page
    is_ready(page)
    seen = page.ask(SAY + """
        aged(11000);
        const seen = ['2020-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z'].map(heard_at => {
            hear({heard_at, age_ms: 800});
            draw();
            return isSeen('hunt') && !at('hunt').classList.contains('old');
        });
        s.data.bearings = {serial: null, estimate: null, bearings: [{id: '1', bearing_deg: 50, from: {latitude: 46.7, longitude: 6.9}, sigma_deg: 20, source: 'command', time: '2020-01-01T00:00:00.000Z', used: null}]};
        s.data.alive = {...s.data.alive, clock_synced: false};
        at('bearings').click();
        seen.push(document.querySelector('dialog .bearings span').textContent);
        document.querySelector('dialog').close();
        return end(seen);""")
    # Without a clock no time of day is told.
    assert seen == [True, True, "50° north-east ± 20°"], seen


@test
def earlier_landing_points_are_in_the_legend(p):
    """The pale line and the rings of the Map have a row of the list of layers, in the same colour."""
    page = p.page
    page.show("map")
    for _ in page.by_day_and_night():
        page.run("document.getElementById('layers').click()")
        row = eventually("the row", lambda: page.run("""
            const swatch = document.querySelector('dialog .swatch.of-ghosts'), style = getComputedStyle(swatch), rgb = name => {
                const probe = document.createElement('i'); probe.style.color = `var(${name})`; document.body.append(probe);
                const colour = getComputedStyle(probe).color; probe.remove(); return colour; };
            return [swatch.parentElement.textContent, style.backgroundImage.includes(rgb('--ghost')), style.backgroundImage.includes(rgb('--target')), swatch.getBoundingClientRect().height]"""))
        assert row == ["Earlier landing points and how they moved", True, True, 14], row
        close(page)
