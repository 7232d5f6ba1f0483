"""Tests of what people with weak eyes, a small screen or a screen reader need. They share a gateway and a browser."""
import pathlib
import re
import signal
import tempfile

from rig import LANGUAGES, Page, eventually
from shared import LAYOUT
from suite import test

# The contrast of each text and shape that a selector finds, with what it is.
CONTRAST = """
    const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = v => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = v; paint.fillRect(0, 0, 1, 1); return [...paint.getImageData(0, 0, 1, 1).data]; };
    const light = c => [.2126, .7152, .0722].reduce((sum, k, i) => { const v = c[i] / 255; return sum + k * (v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); }, 0);
    const ratio = (a, b) => { const [h, l] = [light(a), light(b)].sort((x, y) => y - x); return (h + .05) / (l + .05); };
    const style = getComputedStyle(document.body), isLost = document.body.classList.contains('lost');
    const grounds = e => {
        for (let p = e; p; p = p.parentElement) {
            const c = rgb(getComputedStyle(p).backgroundColor);
            if (c[3] == 255) return [c];
            if (isLost && p.matches('section')) return [rgb(style.getPropertyValue('--stripe')), rgb(style.getPropertyValue('--paper'))];
        }
    };
    const found = [];
    for (const e of document.querySelectorAll(arguments[0])) {
        if (!e.checkVisibility() || !e.getClientRects().length || e.closest('.unseen, .chart') || e.disabled) continue;
        const hasText = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) && !e.closest('svg');
        const s = getComputedStyle(e), isShape = e.matches('#needle, .nose, .ring, #area, #sector, #rim, #own, #dot circle, .level') && !e.closest('.mark');
        if (!hasText && !isShape) continue;
        const ink = isShape && (s.fill == 'none' || e.matches('#area, #sector')) ? s.stroke : isShape ? s.fill : s.color;
        for (const ground of grounds(e)) found.push([ratio(rgb(ink), ground), `${e.id || e.className || e.tagName}: ${e.textContent.slice(0, 20)}`]);
    }
    for (const e of document.querySelectorAll('input[placeholder]')) {
        if (e.matches(arguments[0]) && e.checkVisibility()) found.push([ratio(rgb(getComputedStyle(e, '::placeholder').color), grounds(e)[0]), e.placeholder]);
    }
    return found"""


def contrasts(page, selector, least):
    """How many contrasts `selector` finds, and those below `least`."""
    found = page.run(CONTRAST, selector)
    return len(found), [one for one in found if one[0] < least]


@test
def everything_on_drive_has_contrast_seven(p):
    """Each text and each part of the arrow on Drive has 7:1: live, old, striped, with a proposal, by day and by night."""
    page = p.page
    page.show("drive")
    page.ask("s.data.proposal = {frequency_mhz: 404.2, sonde_type: 'RS41', serial: 'V4210150'}")
    measured = 0
    try:
        for time in page.by_day_and_night():
            for state in ("live", "old", "striped"):
                page.run("""
                    document.body.classList.toggle('lost', arguments[0] == 'striped');
                    document.getElementById('lost').textContent = arguments[0] == 'striped' ? 'No connection' : '';
                    for (const l of document.querySelectorAll('#numbers .line, #arrow')) l.classList.toggle('old', arguments[0] != 'live');""", state)
                count, low = contrasts(page, "#lost, nav *, #drive *, #toast, #banner", 7)
                measured += count
                assert count > 12 and not low, (time, state, low, count)
                page.picture(f"contrast-{time}-{state}")
        print(f"    {measured} contrasts on Drive are at least 7:1")
    finally:
        page.ask("s.data.proposal = {}")


@test
def everything_elsewhere_has_contrast_four_and_a_half(p):
    """Each text on the other screens and in their dialogs has 4.5:1: live, old, striped, by day and by night."""
    page = p.page
    measured = 0
    openings = {"": "", "more": "document.getElementById('more').click()", "layers": "document.getElementById('layers').click()",
                "card": "document.querySelector('.mark.sonde').click()", "panel": "document.getElementById('strip').click()"}
    try:
        for time in page.by_day_and_night():
            for screen in ("map", "crew", "receiver"):
                page.show(screen)
                page.settle()
                page.run("for (const d of document.querySelectorAll('details')) d.open = true")
                for name, opening in openings.items() if screen == "map" else {"": ""}.items():
                    page.run(opening)
                    for state in ("live", "old", "striped"):
                        page.run("""
                            document.body.classList.toggle('lost', arguments[0] == 'striped');
                            for (const e of document.querySelectorAll('#strip .line, #status, td, dialog td')) e.classList.toggle('old', arguments[0] != 'live');""", state)
                        count, low = contrasts(page, "#lost, nav *, #map *, #crew *, #receiver *, dialog, dialog *, #toast, #banner, #demo *", 4.5)
                        measured += count
                        assert count > 10 and not low, (time, screen, name, state, low)
                    page.run("document.querySelector('dialog')?.close()")
        print(f"    {measured} contrasts on the other screens are at least 4.5:1")
    finally:
        page.run("document.body.classList.remove('lost')")


@test
def the_map_is_centred_when_it_is_opened(p):
    """The map was hidden while the first reports came. Car and landing point are in the picture in the same instant."""
    page = p.page
    page.show("drive")
    page.browser.refresh()
    eventually("the map's code", lambda: page.run("return !!document.querySelector('#leaf.leaflet-container')"))
    eventually("reports", lambda: page.ask("return !!s.chase()?.landing && !!s.landing()"))
    # The landing point's circle is part of the picture: a small one leaves the middle where it is.
    seen = page.ask("""
        s.data.landing = {...s.landing(), error_radius_50_m: 1};
        document.getElementById('go-map').click();
        const box = document.getElementById('box').getBoundingClientRect();
        const at = n => { const r = document.querySelector(`.mark.${n}`).getBoundingClientRect(); return [(r.left + r.width / 2 - box.left) / box.width, (r.top + r.height / 2 - box.top) / box.height]; };
        return ['car', 'landing'].map(at)""")
    assert all(0.05 < part < 0.95 for place in seen for part in place), seen
    middle = [(seen[0][k] + seen[1][k]) / 2 for k in (0, 1)]
    assert all(abs(part - 0.5) < 0.1 for part in middle), seen
    assert page.run("return localStorage.place").startswith("46."), page.run("return localStorage.place")
    # Also when it follows one place: nothing glides there from where the map was before.
    for mode in ("sonde", "landing"):
        page.follow(mode)
        page.show("drive")
        page.resize(800, 480)
        if mode == "landing":  # The point moves while the map is hidden.
            page.ask("const l = s.landing(); tell('landing', {...l, latitude: l.latitude + 0.005})")
        off = page.run("""
            document.getElementById('go-map').click();
            const box = document.getElementById('box').getBoundingClientRect(), r = document.querySelector(`.mark.${arguments[0]}`).getBoundingClientRect();
            return [r.left + r.width / 2 - box.left - box.width / 2, r.top + r.height / 2 - box.top - box.height / 2]""", mode)
        assert all(abs(pixels) < 3 for pixels in off), (mode, off)
        page.resize(1024, 600)


@test
def a_newcomer_reads_how_a_tablet_joins(p):
    """The command also makes the key: with the address alone everybody in the network could command the receiver."""
    p.page.show("receiver")
    eventually("the command", lambda: "sudo sondygo2mqtt setup --tablets yes" in p.page.texts("#phone p")[0])


@test
def the_battery_keeps_its_decimals(p):
    """4.192 V and 4.2 V are both shown to a hundredth."""
    p.page.show("receiver")
    for volts, shown in ((4.192, "99 % · 4.19 V"), (4.2, "99 % · 4.20 V"), (None, "99 %")):
        eventually(shown, lambda: p.page.ask(f"""
            s.data.radio = {{...s.data.radio, battery_pct: 99, battery_v: {volts or "null"}}};
            return [...document.querySelectorAll('#receiver .dim')].some(span => span.textContent.replaceAll(/\\s/g, ' ').endsWith('{shown}'))"""))


@test
def the_sondes_frequency_is_not_the_deaf_receivers(p):
    """While only SondeHub hears the sonde, the page does not show the receiver's frequency as the sonde's."""
    page = p.page
    page.press("i")
    row = lambda: page.run("return [...document.querySelectorAll('dialog tr')].find(r => r.textContent.startsWith('Frequency'))?.lastChild.textContent")
    eventually("the receiver's", lambda: row() == "403.500 MHz")
    page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'receiver/rows'].map(n => import(`/${n}.js`))).then(([s, panel]) => {
            const {state, radio} = s.data;
            s.data.state = {...state, source: 'sondehub'};
            s.data.radio = {...radio, sonde_frequency_mhz: undefined};
            panel.drawPanel();
            window.row = [...document.querySelectorAll('dialog tr')].find(r => r.textContent.startsWith('Frequency')).lastChild.textContent;
            Object.assign(s.data, {state, radio});
            done();
        })""")
    assert page.run("return row") == "–", page.run("return row")
    page.press("i")
    eventually("closed", lambda: not page.texts("dialog"))


@test
def twice_enlarged_everything_is_reached_by_scrolling(p):
    """At 200 % zoom an 800x480 screen has 400x240 points. Each control and number can be scrolled into view."""
    page = p.page
    page.resize(400, 240)
    try:
        for screen in ("drive", "map", "crew", "receiver"):
            page.show(screen)
            page.settle()
            hidden = page.run("""
                const hidden = [];
                for (const e of document.querySelectorAll(`nav button, #${arguments[0]} button, #${arguments[0]} input, #${arguments[0]} .number`)) {
                    if (!e.getClientRects().length || !e.checkVisibility()) continue;
                    e.scrollIntoView({block: 'center', inline: 'nearest'});
                    const r = e.getBoundingClientRect(), x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2;
                    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) hidden.push(e.outerHTML.slice(0, 80));
                }
                return hidden""", screen)
            assert not hidden, (screen, hidden)
            page.picture(f"zoom-200-{screen}")
    finally:
        page.run("scrollTo(0, 0)")
        page.resize(1024, 600)


@test
def twice_enlarged_no_word_of_the_strip_breaks(p):
    """At 400x240 points, in each language, the words below the map are whole and inside their number's column."""
    page = p.page
    try:
        for language in (*LANGUAGES, "en"):
            page.run("localStorage.language = arguments[0]", language)
            page.browser.refresh()
            eventually("numbers", lambda: page.ask("return !!s.landing() && s.position()"))
            page.resize(400, 240)
            page.show("map")
            eventually("the strip", lambda: page.texts("#strip .label"))
            wide = page.run("return [...document.querySelectorAll('#strip .line')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)")
            assert not wide, (language, wide)
            assert not [fault for fault in page.run(LAYOUT) if "broken" in fault], (language, page.run(LAYOUT))
    finally:
        page.run("localStorage.removeItem('language')")
        page.browser.refresh()
        page.resize(1024, 600)


@test
def no_town_is_named_below_the_label_of_a_ring(p):
    """At each zoom, after the rings are drawn."""
    page = p.page
    page.show("map")
    for _ in range(4):
        page.settle()
        hidden = page.run("""
            const box = e => [e.textContent, e.getBoundingClientRect()], all = [...document.querySelectorAll('.note span')];
            const towns = all.filter(e => e.closest('.town')).map(box), rings = all.filter(e => /^[\\d.]+\u00a0k?m$/.test(e.textContent)).map(box);
            return rings.flatMap(([a, r]) => towns.filter(([, o]) => r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom).map(([b]) => [a, b]))""")
        assert not hidden, hidden
        page.key("+")
    page.follow("fit")


@test
def a_screen_reader_finds_names(p):
    """Each screen has a heading, each control, marker and picture a name. A change is announced once."""
    page = p.page
    for screen in ("drive", "map", "crew", "receiver"):
        page.show(screen)
        assert page.run("return document.querySelector(`#${arguments[0]} h1`)?.textContent", screen), screen
    page.show("map")
    eventually("markers", lambda: page.run("return document.querySelectorAll('.mark').length >= 3"))
    nameless = page.run("""
        return [...document.querySelectorAll('button, input, select, a, canvas[role], [role=img], [role=region], .leaflet-marker-icon.leaflet-interactive')]
            .filter(e => e.getClientRects().length && !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.alt || e.labels?.length)).map(e => e.outerHTML.slice(0, 120))""")
    assert not nameless, nameless
    page.show("drive")
    # No message can come while the script runs. Each key press draws the page with one second more of silence. What comes
    # first then is no sign of life: only that tells that messages are late, because the page's clock seems to have slept.
    changes = page.browser.execute_async_script("""
        const done = arguments[0], alert = document.getElementById('alert'), seen = [];
        const watch = new MutationObserver(changes => changes.forEach(() => seen.push(alert.textContent)));
        watch.observe(alert, {childList: true, characterData: true, subtree: true});
        const now = performance.now;
        for (let ahead = 6000; ahead < 11000; ahead += 1000) {
            performance.now = () => now.call(performance) + ahead;
            document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}));
        }
        performance.now = now;
        import('/shared/stream.js').then(s => stream.dispatchEvent(new MessageEvent('flight', {data: JSON.stringify(s.data.flight)})));
        const began = now.call(performance), isOver = () => !document.body.classList.contains('lost') && now.call(performance) - began > 3000;
        const wait = () => isOver() || now.call(performance) - began > 20000 ? done(watch.disconnect() ?? seen) : setTimeout(wait, 50);
        wait();""")
    # The alert appeared once, and the gateway's next sign of life cleared it.
    assert changes == ["No connection to the gateway", ""], changes
    eventually("live", lambda: not page.is_lost())


@test
def copying_is_answered(p):
    """The card's Copy says what it copied, also where a browser gives scripts no clipboard."""
    page = p.page
    page.show("map")
    for clipboard in ("true", "false"):
        if clipboard == "false":
            page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
        page.run("document.getElementById('toast').textContent = ''; document.querySelector('.mark.landing').click()")
        page.run("[...document.querySelectorAll('dialog button')].find(b => b.textContent == 'Copy').click()")
        assert eventually("an answer", lambda: page.texts("#toast")[0]).startswith(("Copied: ", "This browser")), clipboard
        page.press("\ue00c")
        eventually("closed", lambda: not page.texts("dialog"))


@test
def the_target_is_taken_along(p):
    """One touch on Drive offers the place to a phone: links, a code and files."""
    page = p.page
    page.show("drive")
    eventually("the button", lambda: page.run("return !document.getElementById('take').hidden"))
    # The prediction moves the landing point each second.
    links, place = page.ask("""
        document.getElementById('take').click();
        const l = s.landing(), links = [...document.querySelectorAll('dialog a')].map(a => a.getAttribute('href'));
        return [links, `${l.latitude.toFixed(6)},${l.longitude.toFixed(6)}`];""")
    assert [link.split(":")[0] for link in links] == ["geo", "https", "https"], links
    assert links[0] == f"geo:{place}?q={place}", links
    # An empty canvas is 300 wide and 150 high.
    eventually("a code", lambda: page.run("const c = document.querySelector('dialog canvas'); return c.width > 100 && c.width == c.height"))
    box = page.run("const r = document.querySelector('dialog canvas').getBoundingClientRect(); return [r.width, r.height]")
    assert abs(box[0] - box[1]) < 2 and box[0] >= 150, box
    # The whole code is seen without scrolling.
    for width, height in Page.SIZES:
        page.resize(width, height)
        ends = page.run("return ['dialog canvas', 'dialog'].map(q => document.querySelector(q).getBoundingClientRect().bottom)")
        page.picture(f"take-along-{width}x{height}")
        assert ends[0] < ends[1], (width, height, ends)


@test
def the_target_goes_along_in_one_file(p):
    """GPX, KML and a page of its own, which a phone opens without the gateway: it has the place, a plan, and what the phone is
    still to give."""
    page = p.page
    page.show("drive")
    eventually("there is a target", lambda: page.run("return document.getElementById('take').checkVisibility()"))
    made = page.browser.execute_async_script("""
        const done = arguments[0], made = [], real = URL.createObjectURL;
        URL.createObjectURL = blob => { made.push(blob.text()); return 'data:,'; };
        document.getElementById('take').click();
        for (const one of document.querySelectorAll('dialog .files button')) one.click();
        const wait = setInterval(() => {
            if (made.length < 3) return;
            clearInterval(wait);
            URL.createObjectURL = real;
            Promise.all(made).then(done);
        }, 50);""")
    page.run("document.querySelector('dialog')?.close()")
    kinds = {text[:text.index(">") + 1].split()[0] + str("<gpx" in text) + str("<kml" in text): text for text in made}
    alone, = [text for text in made if text.startswith("<!doctype html>")]
    gpx, = [text for text in made if "<gpx " in text]
    kml, = [text for text in made if "<kml " in text]
    assert "<wpt lat=" in gpx and "<trkpt " in gpx and "<Point>" in kml and len(kinds) == 3, made
    assert len(alone) < 60_000, len(alone)
    file = pathlib.Path(tempfile.mkdtemp(prefix="sondygo-along-"), "along.html")
    file.write_text(alone)
    back = page.browser.current_window_handle
    page.browser.switch_to.new_window("tab")
    try:
        latitude, longitude = map(float, re.search(r'<wpt lat="([-.\d]+)" lon="([-.\d]+)"', gpx).groups())
        # A phone 1.1 km north of the target.
        page.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["geolocation"]})
        page.browser.execute_cdp_cmd("Emulation.setGeolocationOverride",
                                     {"latitude": latitude + 0.01, "longitude": longitude, "accuracy": 5})
        page.browser.get(file.as_uri())
        eventually("the phone's position is used",
                   lambda: page.run("return document.getElementById('far').textContent") == "1.1 km")
        assert page.run("return document.querySelectorAll('#plan .target').length") == 1
        assert len(page.run("return [...document.querySelectorAll('#maps a')].map(a => a.href)")) == 3
        page.run("heading = 90; draw()")
        # The target is south of the phone, which looks east: to its right.
        assert page.run("return document.getElementById('needle').getAttribute('transform')") == "rotate(90)"
        page.picture("along")
    finally:
        page.browser.execute_cdp_cmd("Browser.resetPermissions", {})
        page.browser.close()
        page.browser.switch_to.window(back)


@test
def a_touch_on_the_arrow_says_the_status(p):
    """The gateway's sentence, in the event that all get. Where it can't come, the page says what Drive shows."""
    page = p.page
    page.run("document.getElementById('toast').textContent = ''; document.getElementById('arrow').click()")
    sentence = eventually("a sentence", lambda: page.texts("#toast")[0])
    assert re.match(r"Climbing at \d+ metres? per second, .* high\. Lands in ", sentence), sentence
    assert page.ask("return s.data.event.event == 'status' && s.data.event.text") == sentence
    for obstacle in ("s.data.bridge_info.configuration['dashboard.commands'] = 'false'", "s.data.bridge_info.language = 'de'"):
        sentence = page.browser.execute_async_script("""
            const done = arguments[0], toast = document.getElementById('toast');
            import('/shared/stream.js').then(s => {
                const kept = s.data.bridge_info;
                s.data.bridge_info = structuredClone(kept);
                %s;
                toast.textContent = '';
                document.getElementById('arrow').click();
                s.data.bridge_info = kept;
                setTimeout(() => done(toast.textContent), 0);
            })""" % obstacle)
        assert "To landing" in sentence and "Climbing" in sentence and sentence.endswith("."), (obstacle, sentence)


@test
def the_map_crosses_180_degrees(p):
    """A car at 179.9 degrees east and a landing point at 179.9 west are drawn beside one another."""
    page = p.page
    page.show("map")
    lines = page.browser.execute_async_script("""
        const done = arguments[0];
        import('/map/wrap.js').then(w => {
            const before = w.centre({longitude: 179.9}), seen = [179.9, -179.9, -170, 10].map(w.wrap);
            w.centre({longitude: 6.9});
            done([before, seen, [6.9, -179].map(w.wrap)]);
        })""")
    assert lines == [True, [179.9, 180.1, 190, 10], [6.9, 181]], lines
    # The reports of a flight there: its markers are some kilometres apart on the screen, not a world.
    seen = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'map/map'].map(n => import(`/${n}.js`))).then(([s, m]) => {
            const kept = {...s.data}, east = {latitude: -17, longitude: 179.95}, west = {latitude: -17, longitude: -179.95};
            s.data.chase = {...kept.chase, car: {...kept.chase.car, ...east}};
            s.data.position = {...kept.position, ...west};
            s.data.landing = {...kept.landing, ...west, latitude: -17.1};
            m.shownMap();
            m.drawMap();
            const at = n => { const r = document.querySelector(`.mark.${n}`).getBoundingClientRect(); return [r.x, r.y]; };
            const result = ['car', 'sonde', 'landing'].map(at);
            Object.assign(s.data, kept);
            m.shownMap();
            m.drawMap();
            done([result, innerWidth, innerHeight]);
        })""")
    places, width, height = seen
    assert all(-40 < x < width and -40 < y < height for x, y in places), seen


@test
def a_replaced_page_waits_for_a_touch(p):
    """A page whose place another took opens no stream of its own, until it is touched."""
    page = p.page
    page.show("drive")
    page.run("""
        window.opened = 0;
        const Real = EventSource;
        window.EventSource = class extends Real { constructor(path) { super(path); opened++; window.stream = this; } };
        document.dispatchEvent(new Event('visibilitychange'));""")
    eventually("a stream", lambda: page.run("return window.stream?.readyState == 1"))
    page.run("stream.dispatchEvent(new MessageEvent('replaced', {data: '{}'}))")
    eventually("words", lambda: "Touch to reconnect" in page.texts("#lost")[0])
    page.picture("replaced")
    page.skew(30)
    eventually("lost", page.is_lost)
    assert page.run("return opened") == 1
    page.run("document.body.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")
    eventually("back", lambda: page.run("return opened") == 2 and not page.is_lost())


@test
def the_crew_sees_what_the_reports_say(p):
    """Events, the banner, sondes around, crews, recovery, launches: each is there when its report says something."""
    page = p.page
    page.show("crew")
    hidden = lambda: page.run("return [...document.querySelectorAll('#crew .part')].map(e => e.hidden)")
    eventually("the parts", lambda: hidden()[:2] == [True, True] and hidden()[3])
    page.ask("""
        tell('sondes', {sondes: [{serial: 'V4210151', sonde_type: 'RS41', frequency_mhz: 404.5, latitude: 46.9, longitude: 7, altitude_m: 12000,
            phase: 'ascending', age_ms: 20000, distance_m: 12300, bearing_deg: 90, hunted: false}]});
        tell('crews', {crews: [{callsign: 'HB9ABC', latitude: 46.9, longitude: 7, age_ms: 60000, distance_to_landing_m: 3400}]});
        s.data.recovery = {serial: 'V4210151', state: 'planned', by: 'HB9ABC', note: 'tomorrow'};
        window.kept = {state: s.data.state, bridge_info: s.data.bridge_info};
        s.data.state = {...kept.state, phase: 'landed'};
        s.data.bridge_info = {...kept.bridge_info, configuration: {...kept.bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': 'HB9ABC'}};
        s.data.launches = {launches: [{site: '06610', name: 'Payerne', launch_at: '2026-11-25T23:00:00.000Z', landing: null, distance_m: 18000, drive_s: 1500}]};""")
    eventually("the reports", lambda: hidden() == [False] * 4)
    text = page.run("return document.getElementById('crew').textContent")
    for words in ("V4210151", "404.500 MHz", "12.3", "east", "HB9ABC", "3.4", "tomorrow", "Payerne", "25 min drive"):
        assert words in text, (words, text)
    # Ages grow between two reports, and what is old is grey.
    ages = lambda: [int(re.search(r"(\d+) s old", text)[1]) for text in page.texts("#crew .part li > span:first-child") if " old" in text]
    eventually("older", lambda: ages()[0] >= 22 and ages()[1] >= 62)
    assert page.run("return [...document.querySelectorAll('#crew .part li > .old')].map(e => e.textContent.slice(0, 6))") == ["HB9ABC"]
    assert page.texts("#crew .part h2")[2] == "Recovery · " + page.ask("return s.data.state.serial")
    page.run("[...document.querySelectorAll('#crew .part button')].find(b => b.textContent == 'Hunt this').click()")
    eventually("an answer", lambda: page.texts("#toast")[0])
    page.picture("crew")
    page.ask("for (const kind of ['sondes', 'crews', 'recovery', 'launches']) delete s.data[kind]; Object.assign(s.data, kept)")
    eventually("gone", lambda: hidden() == [True] * 4)
    eventually("flights", lambda: page.texts("#crew .flights li"))
    eventually("a chart", lambda: page.run("return document.querySelectorAll('#crew .chart canvas').length >= 2"))
    page.picture("crew-charts")
    # A landing point that moves and moves is one line, and pushes no other out.
    kinds = page.run("return [...document.querySelectorAll('#crew .events li')].map(e => e.dataset.event)")
    assert not [one for one in zip(kinds, kinds[1:]) if one == ("landing_moved",) * 2], kinds


@test
def a_page_that_is_opened_later_knows_that_the_store_failed(p):
    """The event came before the page was opened: health still tells it. A touch puts the banner away until the next failure."""
    page = p.page
    eventually("health, and the banner's code", lambda: page.ask("return !!s.health()") and page.texts("#banner button"))
    seen = page.ask("""
        const banner = document.getElementById('banner'), seen = [];
        const say = changes => { tell('health', {...s.data.health, ...changes}); seen.push(banner.hidden ? '' : banner.querySelector('span').textContent); };
        say({store_fault: 'full'});
        banner.querySelector('button').click();
        say({store_fault: 'full'});
        say({store_fault: null});
        say({store_fault: 'read_only'});
        say({store_fault: null});
        say({other_gateway: 'ab12'});
        banner.querySelector('button').click();
        say({other_gateway: null});
        return seen""")
    assert seen == ["Recording has stopped: the disk is full. Live data continues.", "", "",
                    "Recording has stopped: the disk is write-protected. Live data continues.", "",
                    "Another gateway has the same id: give each one a gateway.id of its own.", ""], seen


@test
def the_charts_show_what_the_reports_say(p):
    """Altitude, climb and signal over time, the landing point's radius, weather against altitude, and after the landing how
    far off the predictions were. A recorded flight shows only its own."""
    page = p.page
    titles = lambda: page.run("return [...document.querySelectorAll('#crew figure')].filter(f => f.offsetParent).map(f => f.querySelector('.chart').getAttribute('aria-label'))")
    # The gateway's next report has no score: the charts are drawn at once.
    scored = lambda: page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'crew/charts'].map(n => import(`/${n}.js`))).then(([s, c]) => {
            window.kept = s.data.landing;
            const off = {now_m: 120, min_5_m: 400, min_15_m: 900, min_30_m: null};
            s.data.landing = {...kept, score: {tawhiri: off, sondehub: null, own_winds: {...off, now_m: 80}}};
            c.drawCharts('current').then(() => done());
        })""")
    page.show("crew")
    wanted = ["Altitude", "Climb", "Signal", "Error radius of the landing point", "Landing error by minutes before the landing"]
    seen = eventually("all charts", lambda: scored() or (set(wanted) <= set(titles()) and titles()))
    assert len(seen) == len(set(seen)), seen
    for title in wanted:
        drawn = page.run("return document.querySelector(`.chart[aria-label='${arguments[0]}'] canvas`)?.width", title)
        assert drawn > 200, (title, drawn)
    # What only the page collects begins when it was opened, below a flight that began at the launch.
    later = page.run("return [...document.querySelectorAll('#crew figure')].filter(f => f.offsetParent && f.textContent.includes('since this page was opened')).map(f => f.querySelector('.chart').getAttribute('aria-label'))")
    assert "Error radius of the landing point" in later and not {"Altitude", "Climb", "Signal", wanted[4]} & set(later), later
    page.picture("crew-charts-all")
    labels = lambda title: page.run("return [...document.querySelectorAll(`.chart[aria-label='${arguments[0]}'] .dygraph-axis-label-y`)].map(e => e.textContent)", title)
    # Each number has its unit, and thousands are grouped.
    assert all(re.fullmatch(r"[\d\u202f]+\u00a0m", text) for text in labels("Altitude")), labels("Altitude")
    assert all(text.endswith("\u00a0dBm") for text in labels("Signal")), labels("Signal")
    try:
        page.run("localStorage.units = 'imperial'")
        page.browser.execute_async_script("const done = arguments[0]; import('/crew/charts.js').then(c => c.drawCharts('current')).then(done)")
        assert all(text.endswith("\u00a0ft") for text in labels("Altitude")), labels("Altitude")
    finally:
        page.run("localStorage.removeItem('units')")
    page.run("[...document.querySelectorAll('#crew .flights button')].find(b => b.textContent == 'Chart').click()")
    eventually("the recorded flight's charts", lambda: titles() == wanted[:3])
    page.ask("s.data.landing = kept")


@test
def the_charts_are_there_when_the_gateway_is_lost(p):
    """The window has changed its size while another screen was shown: a chart without a size is drawn anew at once."""
    page = p.page
    drawn = lambda: page.run("return [...document.querySelectorAll('#crew figure .dygraph-axis-label-y')].filter(e => e.checkVisibility()).length")
    page.show("crew")
    eventually("charts", lambda: drawn() > 4)
    try:
        p.gateway.kill(signal.SIGSTOP)
        eventually("lost", lambda: page.is_lost())
        page.show("drive")
        page.resize(800, 480)
        page.settle()
        page.show("crew")
        eventually("the charts", lambda: drawn() > 4, 3)
        page.picture("lost-charts")
    finally:
        p.gateway.kill(signal.SIGCONT)
        page.resize(1024, 600)
    eventually("back", lambda: not page.is_lost())


@test
def an_open_dialog_does_not_hide_an_answer(p):
    """A dialog lies above all else of the page. The message goes into it, and stays when it is closed."""
    page = p.page
    page.press("?")
    eventually("a dialog", lambda: page.texts("dialog h2"))
    page.browser.execute_async_script("const done = arguments[0]; import('/shared/dom.js').then(d => d.toast('Copied')).then(done)")
    assert page.run("return !!document.getElementById('toast').closest('dialog')")
    page.picture("answer-in-a-dialog")
    page.press("\ue00c")
    eventually("closed", lambda: not page.texts("dialog h2"))
    assert page.texts("#toast") == ["Copied"] and page.run("return document.getElementById('toast').checkVisibility()")


@test
def a_clock_that_is_not_set_gives_round_times_since_the_first_value(p):
    page = p.page
    page.show("crew")
    ticks = lambda: page.run("return [...document.querySelectorAll(`.chart[aria-label='Altitude'] .dygraph-axis-label-x`)].map(e => e.textContent)")
    try:
        page.ask("""
            window.alive = s.data.alive;
            Object.defineProperty(s.data, 'alive', {configurable: true, get: () => ({...alive, clock_synced: false}), set: told => { alive = told; }})""")
        page.browser.execute_async_script("const done = arguments[0]; import('/crew/charts.js').then(c => c.drawCharts('current')).then(done)")
        # Ticks at round times of the day would be at odd seconds here.
        seen = eventually("ticks from 0:00", lambda: len(ticks()) > 1 and ticks()[0] == "0:00" and ticks())
        assert all(re.fullmatch(r"\d+:[0-5][05]", text) for text in seen), seen
    finally:
        page.ask("Object.defineProperty(s.data, 'alive', {configurable: true, writable: true, enumerable: true, value: alive})")


@test
def the_weather_is_charted_over_time_and_altitude(p):
    """A sonde that measures temperature and humidity: both over time, and against altitude up and down."""
    page = p.page
    page.show("drive")
    try:
        page.browser.execute_async_script("""
            const done = arguments[0];
            import('/shared/stream.js').then(s => {
                const position = s.data.position, state = s.data.state;
                let source;
                s.useSource(() => source = Object.assign(new EventTarget(), {close() {}}));
                const tell = (kind, data) => source.dispatchEvent(new MessageEvent(kind, {data: JSON.stringify(data)}));
                tell('topics', ['position', 'state']);
                tell('state', state);
                for (let k = 0; k < 40; k++) {
                    const altitude_m = k < 25 ? 500 + 300 * k : 7700 - 400 * (k - 25);
                    tell('position', {...position, time: new Date(Date.now() - (40 - k) * 1000).toISOString(), altitude_m, temperature_c: 15 - altitude_m / 150, humidity_pct: 50});
                }
                done();
            })""")
        page.show("crew")
        for title in ("Temperature, °C, and humidity, %", "Temperature, °C, and humidity, %, against altitude"):
            eventually(title, lambda: page.run(
                "const c = document.querySelector(`.chart[aria-label='${arguments[0]}']`); return c.offsetParent && c.querySelector('canvas')?.width > 200", title), 20)
        page.picture("crew-weather")
    finally:
        page.ask("s.useSource(() => new EventSource('/api/events'))")
        eventually("live", lambda: page.ask("return !!s.landing() && !!s.chase() && s.position()"))


@test
def others_are_on_the_map_and_fanned_out(p):
    """Sondes, crews, the recovery and launches are named markers; those at one place stand beside one another."""
    page = p.page
    page.show("map")
    place = page.ask("""
        const {latitude, longitude} = s.landing();
        const here = {latitude, longitude, age_ms: 20000};
        tell('sondes', {sondes: [1, 2].map(k => ({...here, serial: `V421015${k}`, sonde_type: 'RS41', frequency_mhz: 404.5, altitude_m: 500, phase: 'landed', distance_m: 12300, bearing_deg: 90, hunted: false, recovery: null}))});
        tell('crews', {crews: [{...here, callsign: 'HB9ABC', distance_to_landing_m: 40}]});
        tell('recovery', {...here, serial: 'V4210151', state: 'planned', by: 'HB9ABC', note: 'tomorrow'});
        tell('launches', {launches: [{site: '06610', name: 'Payerne', launch_at: '2026-11-25T23:00:00.000Z', landing: {latitude, longitude, at: null, radius_m: 9000}, distance_m: 18000, drive_s: 1500}]});
        return here""")
    latitude, longitude = place["latitude"], place["longitude"]
    # The crew walks to the landing point's marker: it stays where it was.
    middle = "const r = document.querySelector('.mark.landing').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]"
    before = page.run(middle)
    kinds = ["other", "other", "crew", "recovery", "launch"]
    eventually("the markers", lambda: page.run("return document.querySelectorAll('.mark.other, .mark.crew, .mark.recovery, .mark.launch').length") == len(kinds))
    page.settle()
    after = page.run(middle)
    assert all(abs(a - b) < 3 for a, b in zip(before, after)), (before, after)
    hidden = page.run("""
        const boxes = [...document.querySelectorAll('.mark.landing, .mark.other, .mark.crew, .mark.recovery, .mark.launch')].map(e => e.getBoundingClientRect());
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2) < 24))""")
    assert not hidden, hidden
    page.picture("fanned-out")
    titles = page.run("return [...document.querySelectorAll('.mark.other, .mark.crew, .mark.recovery, .mark.launch')].map(e => e.role == 'button' && e.ariaLabel)")
    assert titles == ["Another sonde: V4210151", "Another sonde: V4210152", "Crew: HB9ABC", "Recovery: V4210151",
                      "Expected landing of the next sonde: Payerne"], titles
    page.run("document.querySelector('.mark.other').click()")
    text = eventually("its card", lambda: "".join(page.texts("dialog")))
    assert "404.500 MHz" in text and "Hunt this" in text and "V421015" in text and f"{latitude:.5f}" in text, text
    page.press("\ue00c")
    # The landing point's card still names its own place.
    named = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'shared/units'].map(n => import(`/${n}.js`))).then(([s, u]) => {
            document.querySelector('.mark.landing').click();
            done([document.querySelector('dialog p').textContent, u.place(s.landing())]);
        })""")
    assert named[0] == named[1], named
    page.press("\ue00c")
    page.ask("for (const kind of ['sondes', 'crews', 'recovery', 'launches']) delete s.data[kind]")
    eventually("gone", lambda: not page.run("return document.querySelector('.mark.other, .mark.launch')"))


@test
def the_landing_point_says_where_it_is(p):
    """Beside the landing point stands its town in words, and no town's name lies below it."""
    page = p.page
    page.show("map")
    seen = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'map/map'].map(n => import(`/${n}.js`))).then(([s, m]) => {
            const kept = s.data.landing;
            const near = {name: 'Grenchen', distance_m: 2040, bearing_deg: 0};
            s.data.landing = {...kept, near, error_radius_50_m: 54000};
            m.drawMap();
            const early = document.querySelector('.tag span').textContent;
            s.data.landing = {...kept, near, error_radius_50_m: 590};
            m.drawMap();
            const tag = document.querySelector('.tag span'), mark = document.querySelector('.mark.landing').getBoundingClientRect();
            const {left, top, bottom} = tag.getBoundingClientRect();
            document.querySelector('.mark.landing').click();
            const card = document.querySelector('dialog').textContent;
            document.querySelector('dialog').close();
            s.data.landing = kept;
            m.drawMap();
            done([tag.textContent, card, left - (mark.x + mark.width / 2), (top + bottom) / 2 - (mark.y + mark.height / 2), early]);
        })""")
    # No more exactly than it is known.
    assert seen[4].endswith("Grenchen ± 54\u00a0km"), seen
    assert seen[0].endswith("2\u00a0km north of Grenchen ± 590\u00a0m"), seen
    assert "2\u00a0km north of Grenchen" in seen[1], seen
    assert 15 < seen[2] < 30 and abs(seen[3]) < 6, seen


@test
def a_landed_sonde_is_one_marker_at_its_place(p):
    """After an observed landing the sonde and its landing point are one marker. A sonde that lies elsewhere has its own."""
    page = p.page
    page.show("map")
    seen = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'map/map'].map(n => import(`/${n}.js`))).then(([s, m]) => {
            const kept = {...s.data};
            const marks = (source, north) => {
                const {latitude, longitude} = kept.landing;
                s.data.state = {...kept.state, phase: 'landed'};
                s.data.landing = {...kept.landing, source};
                s.data.position = {...kept.position, latitude: latitude + north, longitude};
                m.drawMap();
                const landing = document.querySelector('.mark.landing');
                return [landing.classList.contains('grounded'), !!document.querySelector('.mark.sonde')];
            };
            const result = [marks('observed', 0.0001), marks('observed', 0.01), marks('last_prediction', 0.0001)];
            Object.assign(s.data, kept);
            m.drawMap();
            done(result);
        })""")
    assert seen == [[True, False], [False, True], [False, True]], seen


@test
def the_prediction_takes_options(p):
    """The burst altitude is asked for in its range, and taken back."""
    page = p.page
    page.show("receiver")
    answer = lambda: page.texts("#toast")[0]
    typed = """
        const field = document.querySelector(`[data-option=${arguments[0]}]`);
        for (const one of field.form.querySelectorAll('input')) one.value = '';
        field.value = arguments[1];
        field.form.requestSubmit();"""
    for option, value, words in (("burst_altitude_m", "99", "from 1000 to 60000"), ("ascent_rate_mps", "21", "from 0.5 to 20"),
                                 ("descent_rate_mps", "fast", "from 0.5 to 50")):
        page.run(typed, option, value)
        assert words in answer(), (option, value, answer())
    page.run(typed, "ascent_rate_mps", "4,5")
    eventually("done", lambda: answer() == "Done: Prediction" and page.ask("return s.prediction()?.inputs.ascent_rate_mps != null"))
    page.run("document.getElementById('toast').textContent = ''")
    page.run(typed, "burst_altitude_m", "21.000")
    eventually("done", lambda: answer() == "Done: Prediction")
    eventually("a prediction with it", lambda: page.ask("return s.prediction()?.burst?.altitude_m > 20000"))
    eventually("said", lambda: "burst expected at 21" in page.run("return document.getElementById('receiver').textContent"))
    page.run("document.querySelector('.options form button:last-child').click()")
    eventually("taken back", lambda: page.ask("return !(s.prediction()?.burst?.altitude_m > 20000 && s.prediction().burst.altitude_m < 22000)"))


@test
def a_planned_recovery_says_who_drives(p):
    """The gateway takes no planned recovery without a note: the page asks for it before it sends anything."""
    page = p.page
    page.show("crew")
    page.ask("""window.kept = {state: s.data.state, bridge_info: s.data.bridge_info};
        tell('bridge_info', {...kept.bridge_info, configuration: {...kept.bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': 'HB9ABC'}});
        s.data.state = {...kept.state, phase: 'landed'};""")
    page.run("window.sent = []; window.answered = window.fetch; window.fetch = (path, options) => options?.method == 'POST' ? (sent.push(JSON.parse(options.body)), Promise.resolve(new Response('{\"final\":false}'))) : answered(path, options);")
    press = lambda words: page.run("[...document.querySelectorAll('#crew .part button')].find(b => b.textContent == arguments[0]).click()", words)
    press("Recovery planned")
    assert "who drives" in page.texts("#toast")[0] and not page.run("return sent")
    page.run("document.querySelector('#crew .part input').value = 'HB9ABC, at noon'")
    # Everybody sees the report: the page asks first, and the default is not to send it.
    press("Recovery planned")
    assert "Everybody sees this" in page.texts("dialog h2")[0] and not page.run("return sent")
    page.picture("recovery-question")
    # Whoever presses at once again, before the event of the closed question has arrived, is asked once.
    page.run("document.querySelector('dialog .strong').click(); [...document.querySelectorAll('#crew .part button')].find(b => b.textContent == 'Recovery planned').click()")
    assert len(page.texts("dialog")) == 1, page.texts("dialog")
    for words in ("Recovery planned", "Not found"):
        press(words)
        page.run("document.getElementById('yes').click()")
        eventually("closed", lambda: not page.texts("dialog"))
    # What waits for the network can be taken back.
    page.ask("s.data.recovery = {serial: 'V4210150', state: 'planned', by: 'HB9ABC', note: 'at noon', own: true, queued: true}")
    eventually("waits", lambda: "waits for the network" in page.run("return document.getElementById('crew').textContent"))
    press("Do not send it")
    sent = [one["recovery"] for one in page.run("window.fetch = answered; return sent")]
    assert sent == [{"state": "planned", "note": "HB9ABC, at noon"}, {"state": "not_found"}, None], sent
    page.ask("s.data.recovery = {}; Object.assign(s.data, kept)")


@test
def a_landing_point_is_pasted(p):
    """Coordinates or the link of a map, as a friend sent it."""
    page = p.page
    page.show("map")
    for text, words in (("https://www.openstreetmap.org/#map=14/47.1/8.2", "manual"), ("nowhere", "names no place")):
        page.run("document.getElementById('more').click()")
        page.run("""
            const input = [...document.querySelectorAll('dialog label')].find(e => e.textContent == 'Coordinates or a map link').control;
            input.value = arguments[0];
            input.form.requestSubmit();""", text)
        if words == "manual":
            eventually("the landing point", lambda: page.ask("const l = s.landing(); return l?.source == 'manual' && l.latitude == 47.1 && l.longitude == 8.2"))
        else:
            eventually("refused", lambda: words in page.texts("#toast")[0])
    page.run("document.getElementById('more').click()")
    page.run("[...document.querySelectorAll('dialog button')].find(b => /^Remove/.test(b.textContent)).click()")
    eventually("taken back", lambda: page.ask("return s.landing()?.source == 'predicted'"))


@test
def a_recorded_flight_is_replayed(p):
    page = p.page
    page.show("crew")
    eventually("flights", lambda: page.run("return [...document.querySelectorAll('#crew .flights button')].length >= 2"))
    page.run("document.querySelector('#crew .flights button').click()")
    assert page.run("return !document.getElementById('map').hidden")
    eventually("the replay", lambda: page.run("return !!document.querySelector('#replay:not([hidden])') && document.querySelector('.mark.replayed')"))
    at = lambda: page.run("return +document.querySelector('#replay input').value")
    first = at()
    eventually("it moves", lambda: at() > first)
    page.picture("replay")
    page.run("document.querySelector('#replay').lastChild.click()")
    assert not page.run("return document.querySelector('.mark.replayed')")
    assert page.run("return document.body.dataset.follow") != "free"


@test
def first_numbers_come_early_on_a_slow_network(p):
    """At 32 kB/s and 400 ms the first number is there within 3 s, after at most 64 kB."""
    page = Page(p.gateway, path="api/health")
    try:
        page.browser.execute_cdp_cmd("Network.enable", {})
        page.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 400, "downloadThroughput": 32_000, "uploadThroughput": 32_000})
        page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            new MutationObserver((_, watch) => {
                if (![...document.querySelectorAll('#numbers b')].some(b => b.textContent && b.textContent != '–')) return;
                watch.disconnect();
                window.first = {ms: performance.now(), bytes: performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
                    .filter(e => e.responseEnd && e.responseEnd <= performance.now()).reduce((sum, e) => sum + e.transferSize, 0),
                    files: performance.getEntriesByType('resource').length};
            }).observe(document, {subtree: true, childList: true, characterData: true});"""})
        # Other programs can only lengthen it, so the shortest of three counts.
        times = []
        while not times or min(times) > 3000 and len(times) < 3:
            page.browser.get(p.gateway.url)
            first = eventually("a number", lambda: page.run("return window.first"))
            print(f"    first number after {first['ms'] / 1000:.1f} s and {first['bytes']} bytes in {first['files']} files")
            times.append(first["ms"])
            assert first["bytes"] <= 64_000, first
        assert min(times) <= 3000, times
    finally:
        page.close()


@test
def the_map_says_what_the_sonde_does(p):
    """Above the numbers: phase, serial, source, altitude, climb, where to look and how far; a scale bar, and a legend."""
    page = p.page
    page.show("map")
    line = eventually("the line", lambda: page.run("return document.getElementById('status').textContent.includes('°') && document.getElementById('line').textContent"))
    for words in ("climbing", "Receiver", "m/s", "high", page.ask("return s.data.state.serial")):
        assert words in line, (words, line)
    assert re.search(r"look .+°, \d+°\shigh, [\d.]+\sk?m away", line), line
    # The bar is as long as it says.
    seen = page.browser.execute_async_script("""
        const done = arguments[0], bar = document.getElementById('scale');
        Promise.all([import('/map/scale.js'), import('/shared/stream.js')]).then(([m]) => done([bar.textContent, bar.offsetWidth]));""")
    assert re.fullmatch(r"[\d.]+\s(k?m)", seen[0]) and 20 <= seen[1] <= 124, seen
    for width, height in Page.SIZES:
        page.resize(width, height)
        page.settle()
        page.picture(f"map-line-{width}x{height}")
        cut = page.run("const l = document.getElementById('line'), r = l.getBoundingClientRect(); return l.scrollWidth > l.clientWidth || r.bottom > innerHeight || document.getElementById('box').clientHeight < innerHeight * .4")
        assert not cut, (width, height)
        is_hidden = page.run("const s = document.getElementById('scale').getBoundingClientRect(), c = document.getElementById('credit').getBoundingClientRect(); return s.width > 0 && s.right > c.left && s.left < c.right && s.bottom > c.top")
        assert not is_hidden, (width, height)
    page.resize(1024, 600)
    page.ask("window.kept = s.data.state; s.data.state = {...kept, phase: 'landed'}")
    eventually("landed", lambda: page.run("return document.getElementById('phase').classList.contains('landed')"))
    page.picture("map-landed")
    page.ask("s.data.state = kept")
    page.run("document.getElementById('layers').click()")
    assert page.run("return ['.swatch', '.mark svg'].map(n => document.querySelectorAll(`dialog ${n}`).length)") == [11, 5]
    page.picture("legend")
    page.press("\ue00c")
