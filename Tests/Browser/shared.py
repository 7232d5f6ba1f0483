"""Tests that share one gateway, one car and one browser, in this order."""
import json
import math
import re

from rig import ROOT, Gateway, Gps, Page, eventually
from suite import test


# What does not fit on the page, as a list of texts.
LAYOUT = """
    const faults = [], W = innerWidth, H = innerHeight, e = document.documentElement;
    if (e.scrollWidth > W || e.scrollHeight > H) faults.push(`scrolls ${e.scrollWidth}x${e.scrollHeight}`);
    for (const b of document.querySelectorAll('#advice, #word, #why, #chip, #numbers .number, #small, #take, nav button, #buttons button, #strip')) {
        const r = b.getBoundingClientRect();
        if (r.width && (r.left < 0 || r.top < 0 || r.right > W + 1 || r.bottom > H + 1)) faults.push(`${b.id || b.className} is cut`);
    }
    // The first number takes 18 % of the shorter side, the others 11 %. None is squeezed, wrapped or cut. A direction in
    // words may be long: it takes 8 % at least.
    for (const [i, n] of [...document.querySelectorAll('#drive:not([hidden]) .number')].entries()) {
        if (!n.checkVisibility()) continue;
        const size = parseFloat(getComputedStyle(n).fontSize), r = n.getBoundingClientRect(), share = size / Math.min(W, H);
        const least = n.parentElement.dataset.id == 'bearing' ? .08 : i ? .11 : .18;
        if (share < least && Math.min(W, H) > 300) faults.push(`${n.textContent} is ${(share * 100).toFixed(1)} % high`);
        const range = document.createRange();
        range.selectNodeContents(n);
        const f = range.getBoundingClientRect();
        if (f.right > r.right + 1 || f.right > W) faults.push(`${n.textContent} is too wide: ${f.right} of ${r.right}`);
        if (getComputedStyle(n).transform != 'none') faults.push(`${n.textContent} is squeezed`);
        if (new Set([...n.children].filter(e => e.matches('b')).map(e => Math.round(e.getBoundingClientRect().bottom))).size > 1) faults.push('wraps');
    }
    // On a large screen the map's numbers are 5 % high.
    for (const n of W >= 1500 && H >= 850 ? document.querySelectorAll('#strip .number') : []) {
        const size = parseFloat(getComputedStyle(n).fontSize);
        if (n.checkVisibility() && size < .05 * Math.min(W, H)) faults.push(`${n.textContent} is ${size} px high on the map`);
    }
    // Nothing is cut, and nothing is smaller than 14 px.
    for (const e of document.querySelectorAll('#word, #why, #chip, #where, #small, #strip .label, #numbers .label')) {
        if (e.clientWidth && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)) faults.push(`${e.id || e.className} "${e.textContent}" is cut`);
    }
    // No word is broken.
    for (const e of document.querySelectorAll('#strip .label, nav button, #buttons button')) {
        for (const n of e.childNodes) for (const word of n.nodeType == 3 ? n.textContent.matchAll(/\\S+/g) : []) {
            const range = document.createRange();
            range.setStart(n, word.index);
            range.setEnd(n, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) faults.push(`"${word[0]}" is broken`);
        }
    }
    for (const e of document.querySelectorAll('body *')) {
        const hasText = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim());
        if (hasText && e.getClientRects().length && !e.closest('.unseen, svg') && parseFloat(getComputedStyle(e).fontSize) < 14) faults.push(`${e.tagName} "${e.textContent}" is ${getComputedStyle(e).fontSize}`);
    }
    // Each card stays in its column.
    for (const e of document.querySelectorAll('.card')) {
        // On a phone a column is no box of its own.
        const column = getComputedStyle(e.parentElement).display == 'contents' ? e.closest('.columns') : e.parentElement;
        const over = e.checkVisibility() && e.getBoundingClientRect().right - column.getBoundingClientRect().right;
        if (over > 1) faults.push(`a card leaves its column by ${over}: ${e.textContent.slice(0, 30)}`);
    }
    const keys = document.querySelector('.keys')?.getBoundingClientRect();
    if (keys && W > H && keys.bottom > H) faults.push(`the tuning pad ends at ${keys.bottom}`);
    for (const b of document.querySelectorAll('nav button, #buttons button')) {
        const r = b.getBoundingClientRect();
        if (r.width && (r.height < (b.matches('nav .end') ? 47.5 : 63.5) || r.width < 55)) faults.push(`${b.id} is small: ${r.width}x${r.height}`);
    }
    // No control's text is cut, and no screen scrolls sideways.
    for (const e of document.querySelectorAll('button, .button, dialog, section')) {
        const isIn = e.checkVisibility() && !e.closest('.unseen') && e.clientWidth;
        if (!isIn || e.scrollWidth <= e.clientWidth + 1 || e.id == 'map') continue;
        const right = e.getBoundingClientRect().right, widest = [...e.querySelectorAll('*')].find(c => c.checkVisibility() && c.getBoundingClientRect().right > right + 1);
        faults.push(`${e.id || e.tagName} "${e.textContent.slice(0, 20)}" is ${e.scrollWidth} wide in ${e.clientWidth}: ${(widest ?? e).outerHTML.slice(0, 150)}`);
    }
    return faults"""


class Place:
    """One gateway, car and browser for tests that do not harm them."""

    def __init__(self):
        # So far south that the sonde, which flies north-east, never comes within 2 km: there Drive leads to the sonde.
        self.car = Gps(latitude=46.70)
        self.gateway = Gateway("--burst", "6000", "--speed", "1", car=self.car)
        self.page = Page(self.gateway)
        # The gateway predicts nothing in the first minute of a climb.
        eventually("a landing point, seen from the car", lambda: self.page.ask(
            "return !!s.chase()?.landing && !!s.landing() && s.position() && s.flight()"), 240)

    def reset(self):
        """Undoes what a test left on the page: the next one must not depend on it."""
        self.page.resize(1024, 600)
        self.page.run("document.querySelector('dialog')?.close(); document.activeElement.blur(); localStorage.night = 'auto'; window.fetch = window.answered ?? window.fetch")
        self.page.follow("fit")
        self.page.show("drive")

    def close(self):
        self.page.close()
        self.gateway.stop()


def seconds_of(text):
    """The seconds of a duration in the page's one form: "45 s", "3 min 20", "≈ 75 min", "2 h 16"; more words may follow."""
    seen = re.match(r"(?:≈\s)?(<?\d+) (s|min|h)(?: (\d+))?", text)
    first, unit, rest = seen.groups()
    size = {"s": 1, "min": 60, "h": 3600}[unit]
    return int(first.strip("<")) * size + int(rest or 0) * size // 60


@test
def drive_shows_the_published_numbers(p):
    """The large numbers equal those computed here from the JSON of the same instant."""
    p.page.show("drive")
    seen = eventually("numbers", lambda: p.page.ask("""
        const lines = [...document.querySelectorAll('#numbers .line')].map(l => [l.dataset.id, l.querySelector('b').textContent, l.querySelector('i').textContent]);
        const texts = [...document.querySelectorAll('#numbers .line')].map(l => [l.dataset.id, [...l.querySelectorAll('.number > b, .number > i')].map(e => e.textContent).join(' ').trim()]);
        return lines.length == 3 && lines[0][1] != '–' && {lines, texts, data: s.data, since: s.since('landing'), target: document.getElementById('drive').dataset.target, word: document.getElementById('advice').dataset.word}"""))
    chase, landing = seen["data"]["chase"], seen["data"]["landing"]
    assert seen["target"] == "landing", seen["target"]
    lines = {name: (value, unit) for name, value, unit in seen["lines"]}
    texts = dict(seen["texts"])
    metres = chase["landing"]["distance_m"]
    value, unit = lines["distance"]
    shown = float(value.replace("\u202f", "")) * (1000 if unit == "km" else 1)
    # To a hundredth of the landing point's radius.
    assert abs(shown - metres) <= max(55, metres * 0.005, landing["error_radius_50_m"] / 20), (shown, metres)
    left = landing["landing_in_s"] - seen["since"] / 1000
    # No more exactly than it is known.
    step = max(step for step in (0, 60, 120, 300, 600, 900, 1800, 3600) if step <= (landing.get("landing_error_50_s") or 0))
    assert texts["landing_in"].startswith("≈") == (step > 0), texts
    assert abs(seconds_of(texts["landing_in"]) - left) <= max(step, 32 if left > 300 else 2), (texts, left)
    # A sign by a word, never a minus. Without a road the arrival is "at best", and has no level.
    margin = chase["margin_s"]
    assert "−" not in texts["margin"] and "+" not in texts["margin"], texts
    label, = p.page.texts("#drive [data-id=margin] .label")
    if seen["word"] in ("wait", "area"):
        assert label == "you can wait · at best", label
    else:
        assert label == "you arrive · at best" and texts["margin"].endswith("late" if margin < 0 else "early"), (label, texts)
    # Never more than the truth; it is read a moment after the landing was told.
    said = 0 if texts["margin"].startswith("<") else seconds_of(texts["margin"])
    assert abs(margin) - 61 - 2 * step <= said <= abs(margin) + 2, (texts, margin)
    assert chase["route"]["method"] == "straight_line"
    assert p.page.run("return document.querySelector('#drive [data-id=margin] .level')") is None
    # How sure the distance is stands with it.
    radius, = p.page.texts("#drive [data-id=distance] .doubt")
    assert radius.replace("\u00a0", " ").startswith("± "), radius


@test
def numbers_are_rounded_by_what_is_known(p):
    seen = p.page.ask("""
        return {countdown: [30, 299, 301, 2460, 3599, 4500, -400].map(t => u.text(u.countdown(t)).replace('\u00a0', ' ')),
            zero: [u.signed(-.4)[0], u.signed(.4)[0], u.climb(-.04)[0], u.signed(-3)[0]],
            radius: [509.2, 1304.6, 49811, 996, 7].map(m => u.text(u.radius(m)).replace('\u00a0', ' ')),
            rough: [[4560, 720], [200, 70], [20, 300], [7440, 1500], [4560, 59], [4560, null]].map(([t, off]) => u.text(u.countdown(t, off)).replace(/[\u00a0\u202f]/g, ' ')),
            margins: [[1740, 720], [-1740, 130], [200, 600], [-8100, 700], [59, 0]].map(([t, off]) => u.text(w.marginText(t, off)).replace(/[\u00a0\u202f]/g, ' ')),
            typed: ['404,2', '404.200', '4042', '40425', '404200', '404', 'x', ''].map(u.frequency)}""")
    assert [text.replace("\u00a0", " ") for text in seen["countdown"]] == ["30 s", "4 min 59", "5 min", "41 min", "60 min", "75 min", "7 min"], seen
    assert seen["zero"] == ["0", "0", "0.0", "−3"], seen
    assert seen["radius"] == ["510 m", "1.3 km", "50 km", "1 km", "7 m"], seen
    # Nor is a time told more exactly than it is known.
    assert seen["rough"] == ["≈ 80 min", "≈ 3 min", "≈ 5 min", "≈ 2 h", "76 min", "76 min"], seen
    assert seen["margins"] == ["≈ 20 min early", "≈ 28 min late", "<10 min early", "≈ 2 h 10 late", "<1 min early"], seen
    assert seen["typed"] == [404.2, 404.2, 404.2, 404.25, 404.2, 404, None, None], seen


@test
def the_distance_keeps_its_decimals(p):
    """A distance that is known to half a kilometre is never shown without the half: the figure would jump at each step."""
    seen = p.page.ask("""
        const shown = (value, step) => { return w.lineText({id: 'distance', label: 'toLanding', value, step}, m.now()).figure.join(' '); };
        return [shown(65600, 498), shown(66100, 498), shown(66100, 700), shown(20000, null), shown(140200, 498), shown(440, 120), shown(null, 498),
            u.text(u.distance(20000))]""")
    assert seen[:7] == ["65.5 km", "66.0 km", "66 km", "20.0 km", "140 km", "400 m", "– "], seen
    # A range ring is exact.
    assert seen[7] == "20\u00a0km", seen


@test
def the_maps_line_moves_nothing(p):
    """It lies on the map, beside the buttons: a longer text moves neither the map nor the numbers, and covers no button."""
    page = p.page
    page.show("map")
    try:
        for width, height in Page.SIZES:
            page.resize(width, height)
            page.settle(at_rest=False)
            seen = page.run("""
                const at = id => document.getElementById(id).getBoundingClientRect().toJSON(), before = at('leaf');
                document.getElementById('status').textContent = 'V4210150 · 26\u202f865 m · look south-west 174°, 61°\u00a0high, 112\u00a0km away';
                return {before, after: at('leaf'), line: at('line'), buttons: [...document.querySelectorAll('#buttons button')].map(e => e.getBoundingClientRect().toJSON()), box: at('box')}""")
            line = seen["line"]
            assert seen["before"] == seen["after"], (width, seen)
            assert not [b for b in seen["buttons"] if line["right"] > b["left"] and line["bottom"] > b["top"]], (width, seen)
            assert line["left"] > seen["box"]["left"] and line["right"] < seen["box"]["right"] and line["height"] < 110, (width, seen)
    finally:
        page.resize(1024, 600)


@test
def the_whole_way_of_the_prediction_is_drawn(p):
    """A line through all earlier landing points, and rings around some, at most ten."""
    page = p.page
    page.show("map")

    def drawn():
        # The gateway's own report may come between.
        page.ask("""
            const l = s.landing(), history = Array.from({length: 80}, (_, k) => ({
                latitude: l.latitude + 0.2 - k * 0.0025, longitude: l.longitude + 0.1 * Math.sin(k / 9), time: l.landing_at}));
            tell('landing', {...l, history});""")
        points, rings = page.browser.execute_async_script("""
            const done = arguments[0];
            import('/map/layers.js').then(({layers}) => requestAnimationFrame(() => {
                const all = layers.ghosts.getLayers();
                done([all.find(l => l.getLatLngs)?.getLatLngs().length, all.filter(l => l.getRadius).length]);
            }));""")
        return points == 80 and rings

    rings = eventually("the way", drawn)
    assert rings <= 10, rings
    page.picture("way")


@test
def fit_shows_everything_beside_what_lies_on_the_map(p):
    """Car, sonde and landing point are below the line and left of the buttons; the text beside the landing point is whole.
    Near the target the map comes to level 18, where its bar is 20 m long."""
    page = p.page
    page.show("map")
    page.follow("fit")
    try:
        for width, height in Page.SIZES:
            page.resize(width, height)
            eventually("everything is seen", lambda: page.run("""
                const at = e => e.getBoundingClientRect(), line = at(document.getElementById('line')), buttons = at(document.getElementById('buttons')), box = at(document.getElementById('box'));
                const marks = ['car', 'sonde', 'landing'].map(n => at(document.querySelector(`.mark.${n}`))).map(r => [r.left + r.width / 2, r.top + r.height / 2]);
                const tag = at(document.querySelector('.tag span'));
                return marks.every(([x, y]) => x < buttons.left && x > box.left && y > line.bottom && y < box.bottom) && tag.left >= box.left && tag.right <= buttons.left"""), 10)
        # On a phone a long text in the middle of the map has no room beside the point: it stands below, or above where the way comes from below.
        page.resize(390, 844)
        page.follow("landing")
        tag = lambda: page.ask("""
            const l = s.landing();
            tell('landing', {...l, near: {name: 'Villeneuve-sur-Lot', distance_m: 12500, bearing_deg: 45}, error_radius_50_m: 590});
            const r = document.querySelector('.tag:is(.under, .over) span')?.getBoundingClientRect(), buttons = document.getElementById('buttons').getBoundingClientRect();
            return r && r.left >= 0 && r.right <= buttons.left && r.width > 100""")
        eventually("below or above", tag)
        page.picture("map-tag")
        page.follow("fit")
        page.resize(1024, 600)
        near = page.ask("""
            const {landing, latitude, longitude} = {landing: s.landing(), ...s.landing()}, kept = {...s.data};
            const car = {...s.chase().car, latitude: latitude + 0.0004, longitude};
            s.data.position = {...s.position(), latitude: latitude + 0.0001, longitude};
            s.data.chase = {...s.chase(), car, landing: {...s.chase().landing, distance_m: 44}};
            s.data.landing = {...landing, error_radius_50_m: 300};
            document.getElementById('go-drive').click();
            document.getElementById('go-map').click();
            const seen = document.getElementById('scale').textContent;
            Object.assign(s.data, kept);
            return seen""")
        assert near == "20\u00a0m", near
        # Early in a flight the landing point may be anywhere in a wide circle: it is in the picture, too.
        wide = page.browser.execute_async_script("""
            const done = arguments[0];
            Promise.all(['shared/stream', 'map/layers'].map(n => import(`/${n}.js`))).then(([s, {layers}]) => {
                const kept = {...s.data}, {latitude, longitude} = s.landing();
                s.data.landing = {...s.landing(), error_radius_50_m: 30000};
                document.getElementById('go-drive').click();
                document.getElementById('go-map').click();
                const map = layers.sight._map, bounds = map.getBounds(), here = L.latLng(latitude, longitude);
                const seen = bounds.contains(here.toBounds(60000));
                Object.assign(s.data, kept);
                done([seen, map.getZoom()]);
            }, fault => done(String(fault)));""")
        assert wide[0] is True and wide[1] >= 6, wide
        # There the circles of an early prediction, and of a sonde high up, are as wide as a million pixels: they stop nothing.
        frames = page.browser.execute_async_script("""
            const done = arguments[0], began = performance.now(), next = (left) => requestAnimationFrame(() => left ? next(left - 1) : done(performance.now() - began));
            Promise.all(['shared/stream', 'map/map', 'map/layers'].map(n => import(`/${n}.js`))).then(([s, m, {layers}]) => {
                const {position} = s.data;
                s.data.position = {...position, altitude_m: 31000, latitude: 48.9};
                m.drawMap();
                const map = layers.sight._map, at = layers.sight.getLayers()[0].getLatLngs()[180];
                map.setView(at, 18, {animate: false});
                s.data.position = position;
                next(5);
            }, fault => done(String(fault)));""")
        assert frames < 5000, frames
        page.key("f")
        page.follow("fit")
    finally:
        page.resize(1024, 600)
        page.ask("document.getElementById('go-drive').click()")


@test
def sondehubs_normal_age_is_not_old(p):
    """SondeHub's positions are 15 to 19 s old. The receiver's are old at 10 s."""
    seen = p.page.ask("""
        const kept = s.data.state, by = source => { s.data.state = {...kept, source}; return [17000, 41000].map(t => m.aged('x', t, m.sondeLimit()).isOld); };
        const result = [by('sondehub'), by('ble')];
        s.data.state = kept;
        return result""")
    assert seen == [[False, True], [True, True]], seen


@test
def a_guessed_landing_has_one_target(p):
    """Nobody saw the sonde land: Drive leads to the landing point, and knows no height of the sonde's."""
    seen = p.page.ask("""
        const {state, landing} = s.data;
        s.data.state = {...state, phase: 'landed'};
        s.data.landing = {...landing, source: 'last_prediction', altitude_m: null};
        const {target, lines} = m.now(), print = w.smallPrint(m.now()), {doubt} = w.lineText(lines[0], m.now());
        // At the guessed place the search begins: nobody is there yet.
        const {landing: sight, car} = s.data.chase, there = {...s.data.chase, landing: {...sight, distance_m: 1}, car: {...car, accuracy_m: 5}};
        const chase = s.data.chase;
        s.data.chase = there;
        const at = m.now().lines.slice(0, 2).map(line => w.lineText(line, m.now()).figure[0]);
        Object.assign(s.data, {state, landing, chase});
        return {target, lines, print, doubt, at, distance: s.chase().landing.distance_m}""")
    assert seen["target"] == "landing" and "probably landed" in seen["print"], seen
    # What was last heard in the air is not said of the place on the ground.
    assert "m/s" not in seen["print"] and not re.search(r"\d m\b", seen["print"]), seen
    # "Probably" says already that it is a guess.
    assert "a guess" not in seen["print"], seen
    # Half of all sondes are farther from there than the radius.
    assert seen["doubt"] and seen["at"][0].startswith("±") and seen["at"][1] == "search here", seen
    assert [(line["id"], line["value"]) for line in seen["lines"]][::2] == [("distance", seen["distance"]), ("height", None)], seen


@test
def a_landed_sonde_has_no_climb(p):
    """Its small print says that it landed, and has no 0.0 m/s for it."""
    seen = p.page.ask("""
        const {state, flight} = s.data;
        const print = phase => { s.data.state = {...state, source: 'ble', phase}; s.data.flight = {...flight, vertical_speed_mps: 0}; return w.smallPrint(m.now()); };
        const result = ['descendingBelow10k', 'landed'].map(print);
        Object.assign(s.data, {state, flight});
        return result""")
    assert "0.0\u00a0m/s" in seen[0] and "m/s" not in seen[1] and " m" in seen[1].replace("\u00a0", " "), seen


@test
def layouts_fit_all_sizes(p):
    """At five sizes no text wraps, overflows or scrolls, and each number takes a fifth of the shorter side. On a wide screen
    tuning needs no scrolling."""
    for width, height in Page.SIZES:
        p.page.resize(width, height)
        for time in p.page.by_day_and_night():
            for screen in ("drive", "map", "crew", "receiver"):
                p.page.show(screen)
                p.page.settle()
                p.page.picture(f"{screen}-{width}x{height}-{time}")
                faults = p.page.run(LAYOUT)
                assert not faults, (screen, width, height, faults)
    p.page.resize(1024, 600)


@test
def a_chart_is_as_wide_as_its_place(p):
    """Values that come after the crew's screen was left make no chart yet: it would have a size of its own for ever."""
    page = p.page
    page.browser.refresh()
    eventually("numbers", lambda: page.ask("return !!s.landing() && s.position()"))
    page.run("""
        const answered = window.fetch, held = new Promise(release => { window.release = release; });
        window.fetch = async (...asked) => {
            if (!String(asked[0]).includes('/profile')) return answered(...asked);
            window.isAsked = true;
            await held;
            const answer = await answered(...asked), values = await answer.json();
            return {ok: true, json: () => { requestAnimationFrame(() => { window.isTold = true; }); return values; }};
        };""")
    page.show("crew")
    eventually("the question", lambda: page.run("return window.isAsked"))
    page.show("drive")
    page.run("release()")
    eventually("the answer", lambda: page.run("return window.isTold"))
    page.show("crew")
    eventually("a chart", lambda: page.run("return document.querySelector('#crew .chart canvas')?.checkVisibility()"))
    sizes = page.run("return [...document.querySelectorAll('#crew .chart')].filter(c => c.checkVisibility()).map(c => [c.getAttribute('style'), c.clientWidth, c.parentElement.clientWidth])")
    assert sizes and not [one for one in sizes if one[1] != one[2] or "px" in (one[0] or "")], sizes
    page.browser.refresh()
    eventually("numbers", lambda: page.ask("return !!s.landing() && s.position()"))
    page.show("drive")


@test
def contrast_is_at_least_seven(p):
    """The contrast on Drive is at least 7:1, by day and by night, also for old numbers."""
    p.page.show("drive")
    for time in p.page.by_day_and_night():
        colours = p.page.run("""
            const s = getComputedStyle(document.body), c = v => { const x = document.createElement('canvas').getContext('2d'); x.fillStyle = v; x.fillRect(0, 0, 1, 1); return [...x.getImageData(0, 0, 1, 1).data]; };
            return ['--paper', '--ink', '--ink-2', '--good', '--care', '--bad', '--target', '--car'].map(n => c(s.getPropertyValue(n)))""")

        def light(colour):
            parts = [v / 255 / 12.92 if v / 255 <= 0.03928 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in colour[:3]]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        ground = light(colours[0])
        for colour in colours[1:]:
            high, low = sorted((light(colour), ground), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 7, (time, colour)


@test
def reduced_motion_stops_animations(p):
    wish = lambda value: p.page.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": value}]})
    speed = lambda: p.page.run("return getComputedStyle(document.getElementById('needle')).transitionDuration")
    assert speed() == "0.5s"
    wish("reduce")
    assert speed() == "0s"
    wish("")


@test
def night_mode_follows_the_sun(p):
    heights = p.page.browser.execute_async_script("""
        const done = arguments[0];
        import('/shared/sun.js').then(({sunHeight: h}) => done([h(Date.UTC(2026, 5, 21, 11, 30), 47, 7.5), h(Date.UTC(2026, 11, 21, 23, 30), 47, 7.5), h(Date.UTC(2026, 2, 20, 6), 0, 0)]))""")
    # From the almanac: 90 - 47 + 23.4; 47 - 90 - 23.4; sunrise at the equinox.
    for seen, known in zip(heights, (66.4, -66.4, -1.8)):
        assert abs(seen - known) < 1, heights


@test
def heading_up_turns_the_map(p):
    """With heading up, a target half right of the car is half right above it on the screen."""
    p.page.show("map")
    mode = lambda: p.page.run("return document.body.dataset.follow")
    for _ in range(4):
        if mode() != "heading":
            p.page.key("f")
    assert mode() == "heading", mode()

    def places():
        return p.page.ask("""
            const at = n => { const r = document.querySelector(`.mark.${n}`).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
            return {car: at('car'), landing: at('landing'), relative: s.chase().landing.relative_bearing_deg, box: document.getElementById('box').getBoundingClientRect().toJSON()}""")

    def is_up():
        seen = places()
        (cx, cy), (lx, ly) = seen["car"], seen["landing"]
        off = (math.degrees(math.atan2(lx - cx, cy - ly)) - seen["relative"] + 180) % 360 - 180
        # The car is in the lower third.
        low = cy - (seen["box"]["top"] + seen["box"]["height"] * 0.68)
        assert abs(off) < 6 and abs(low) < 25, (off, low, seen)
        return True

    eventually("the car's nose up", is_up)
    p.page.picture("heading-up")
    p.page.key("f")
    eventually("turned back", lambda: p.page.run("return !document.getElementById('leaf').style.transform"))


@test
def cards_open_and_a_long_press_sets_the_landing_point(p):
    p.page.show("map")
    p.page.run("document.querySelector('.mark.landing').click()")
    assert "Landing point" in p.page.texts("dialog h2")
    assert p.page.run("return document.querySelector('dialog a').href").startswith("geo:")
    p.page.press("\ue00c")
    eventually("closed", lambda: not p.page.texts("dialog"))
    p.page.run("document.querySelector('.mark.sonde').click()")
    # It is followed, and the receiver is tuned to it.
    offered = set(p.page.texts("dialog .row > *"))
    assert "Copy" in offered and not offered & {"Tune", "Hunt this"}, offered
    assert any("heard" in text for text in p.page.texts("dialog p")), p.page.texts("dialog p")
    # The card shows where the sonde is, not where it was when the card was opened.
    begin = p.page.texts("dialog p")[0]
    eventually("the card goes on", lambda: p.page.texts("dialog p")[0] != begin)
    p.page.press("\ue00c")
    eventually("closed", lambda: not p.page.texts("dialog"))
    # A long press. The mouse's secondary button acts the same.
    p.page.hold("leaf", 60, 40)
    place = eventually("a card", lambda: p.page.texts("dialog p")[0])
    p.page.run("[...document.querySelectorAll('dialog button')].find(b => b.textContent == 'Set landing point').click()")
    latitude, longitude = map(float, place.split(", "))
    # The page and the gateway each round once.
    eventually("the landing point", lambda: p.page.ask(f"""
        const l = s.landing();
        return l?.source == 'manual' && Math.hypot(l.latitude - {latitude}, l.longitude - {longitude}) < 3e-5"""))
    p.page.run("document.querySelector('.mark.landing').click()")
    p.page.run("[...document.querySelectorAll('dialog button')].find(b => /^Remove/.test(b.textContent)).click()")
    eventually("taken back", lambda: p.page.ask("return s.landing()?.source == 'predicted'"))


@test
def a_command_waits_for_the_receiver(p):
    """The button names the requested value, and shows it as set only when the receiver confirms it."""
    p.page.show("receiver")
    mute = "return [...document.querySelectorAll('#receiver .row button')].find(b => /ute/.test(b.textContent))"
    eventually("Mute", lambda: p.page.run(mute + ".textContent") == "Mute")
    # Records each text of the button with the value reported at that moment, because the receiver may confirm before a
    # poll sees it.
    p.page.ask(f"""
        const b = (() => {{ {mute} }})();
        window.texts = [];
        window.watch = new MutationObserver(() => texts.at(-1)?.[0] != b.textContent && texts.push([b.textContent, s.radio().mute]));
        watch.observe(b, {{childList: true, characterData: true, subtree: true}});""")
    p.page.run(mute + ".click()")
    eventually("muted", lambda: p.page.ask("return s.radio().mute") and p.page.run(mute + ".textContent") == "Unmute")
    texts = p.page.run("watch.disconnect(); return texts")
    assert texts[0] == ["asked for: Mute …", False] and texts[-1] == ["Unmute", True], texts
    assert all(is_muted for text, is_muted in texts if text == "Unmute"), texts
    p.page.run(mute + ".click()")
    eventually("heard again", lambda: p.page.run(mute + ".textContent") == "Mute")


@test
def an_unanswered_command_ends_after_a_minute(p):
    """The final answer is lost. After a minute the button can be used again."""
    p.page.show("receiver")
    p.page.run("""
        window.real = {fetch: window.fetch.bind(window), setTimeout: window.setTimeout.bind(window)};
        window.fetch = (path, options) => options?.method == 'POST' ? Promise.resolve(new Response('{"id":"x","final":false}')) : real.fetch(path, options);
        window.setTimeout = (f, wait, ...rest) => real.setTimeout(f, wait == 60000 ? 500 : wait, ...rest);""")
    mute = "return [...document.querySelectorAll('#receiver .row button')].find(b => /ute/.test(b.textContent))"
    p.page.run(mute + ".click()")
    assert p.page.run(mute + ".disabled")
    eventually("Mute", lambda: p.page.run(mute + ".textContent") == "Mute" and not p.page.run(mute + ".disabled"))
    p.page.run("Object.assign(window, real)")


@test
def tuning_in_flight_asks_first(p):
    p.page.show("receiver")
    p.page.run("""window.type = text => {
        const field = document.getElementById('mhz');
        field.value = text;
        field.dispatchEvent(new Event('input', {bubbles: true}));
        document.getElementById('tune').click();
    }""")
    p.page.run("type('404,5')")
    assert re.search(r"The receiver hears \w+ on 403\.500\. Tune to 404\.500\?", "".join(p.page.texts("dialog h2")))
    p.page.press("\ue00c")
    eventually("closed", lambda: not p.page.texts("dialog"))
    # The answer that Enter gives is to keep the frequency.
    p.page.run("type('4045')")
    eventually("asked", lambda: "Tune to 404.500?" in "".join(p.page.texts("dialog h2")))
    assert p.page.run("return document.activeElement.textContent") == "No, keep it"
    assert p.page.texts("dialog button") == ["No, keep it", "Yes"] and p.page.texts("dialog .strong") == ["No, keep it"]
    p.page.press("\ue007")
    eventually("closed", lambda: not p.page.texts("dialog"))
    p.page.run("type('500')")
    assert not p.page.texts("dialog") and "from 400 to 406 MHz" in p.page.texts("#toast")[0]
    assert p.page.ask("return s.radio().frequency_mhz") == 403.5


@test
def a_proposal_is_on_every_screen(p):
    page = p.page
    offer = lambda: page.run("const b = document.getElementById('offer'); return b.offsetParent && b.textContent")
    assert not offer()
    page.ask("s.data.proposal = {frequency_mhz: 404.2, sonde_type: 'RS41', serial: 'V4210150'}")
    for screen in ("drive", "map", "receiver"):
        page.show(screen)
        assert eventually("the proposal", offer) == "Tune 404.200", screen
        for width, height in Page.SIZES:
            page.resize(width, height)
            assert page.run("""
                const r = document.getElementById('offer').getBoundingClientRect();
                return r.height >= 63.5 && r.width >= 55 && r.bottom <= innerHeight && r.right <= innerWidth"""), (screen, width, height)
        page.picture(f"proposal-{screen}")
    page.resize(1024, 600)
    page.run("document.getElementById('offer').click()")
    eventually("asked", lambda: "Tune to 404.200?" in "".join(page.texts("dialog h2")))
    page.press("\ue00c")
    eventually("closed", lambda: not page.texts("dialog"))
    page.ask("s.data.proposal = {}")
    eventually("gone", lambda: not offer())


@test
def all_settings_are_in_the_form(p):
    p.page.show("receiver")
    listed = json.loads(p.gateway.get("api/settings"))
    keys = [s["key"] for s in listed]
    shown = p.page.run("return [...document.querySelectorAll('.settings form')].map(f => f.dataset.key)")
    assert shown == keys and keys, shown
    # In words, with the firmware's key small beside; the dangerous ones are folded away.
    text = lambda key: p.page.run("return document.querySelector(`.settings form[data-key='${arguments[0]}']`).textContent", key)
    assert "RS41 bandwidth" in text("rs41.rxbw") and "6.3 kHz" in text("rs41.rxbw") and "rs41.rxbw" in text("rs41.rxbw")
    folded = p.page.run("return [...document.querySelectorAll('details:not([open]) form')].map(f => f.dataset.key)")
    assert folded == [s["key"] for s in listed if s["dangerous"]] and folded, folded
    # A value out of its range is refused before anything is sent.
    p.page.run("""
        const form = document.querySelector(".settings form[data-key='vBatMin']");
        form.querySelector('input').value = '99999';
        form.querySelector('button').click();
        form.querySelector('input').value = '';""")
    assert "from 2000 to 4500" in p.page.texts("#toast")[0], p.page.texts("#toast")
    # The controls hold what the receiver has.
    held = "return [...document.querySelectorAll('.settings :is(select, input, [role=switch])')].map(e => e.value || e.textContent)"
    assert eventually("values", lambda: len([text for text in p.page.run(held) if text not in ("", "–")]) > 10)


@test
def the_keyboard_reaches_all_controls(p):
    page = p.page
    page.run("document.activeElement.blur()")
    for key, screen in (("m", "map"), ("r", "receiver"), ("d", "drive")):
        page.press(key)
        assert page.run("return !document.getElementById(arguments[0]).hidden", screen), screen
    page.press("i")
    # In the same words as on Drive.
    assert any(re.search(r"^(<|≈\u202f)?\d+\u00a0(min|h|h\u00a0\d\d)[\u00a0 ]early$", text) for text in page.texts("dialog td")), page.texts("dialog td")
    page.press("i")
    eventually("closed", lambda: not page.texts("dialog"))
    page.press("u")
    eventually("miles", lambda: page.texts("#numbers i")[0] in ("mi", "ft"))
    page.press("u", "u")
    page.press("n")
    eventually("night", lambda: page.run("return document.body.classList.contains('night')"))
    page.press("n", "n", "?")
    assert page.texts("dialog h2") == ["Keys"]
    page.press("\ue00c")
    # Each control has a name and can be reached by keyboard.
    for screen in ("map", "receiver", "drive"):
        page.show(screen)
        nameless = page.run("""
            return [...document.querySelectorAll('button, input, select, a')].filter(e => e.offsetParent && e.tabIndex >= 0 && !(e.textContent.trim() || e.getAttribute('aria-label') || e.title)).map(e => e.outerHTML)""")
        assert not nameless, nameless
    page.run("document.activeElement.blur()")
    reached = set()
    for _ in range(6):
        page.press("\ue004")
        reached.add(page.run("return document.activeElement.id"))
    assert {"go-drive", "go-map", "go-receiver"} <= reached, reached


@test
def the_page_loads_nothing_from_elsewhere(p):
    folder = ROOT / "deploy/page"
    names = sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.suffix in (".html", ".css", ".js"))
    # The fleet's board is another page. The first module comes joined with those that it imports.
    own = [name for name in names if name != "main.js" and not name.startswith("board/")] + ["first.js"]
    # As a browser gets them, which loads one language: here the longest.
    sizes = {name: p.gateway.packed(name) for name in own}
    language = max(p.gateway.packed(f"languages/{f.name}") for f in (ROOT / "Sources/Languages/Texts").glob("*.txt"))
    total = language + sum(sizes.values())
    print(f"    own code: {total} bytes compressed, in {len(sizes)} files")
    # What comes before the first numbers is measured by first_numbers_come_early_on_a_slow_network.
    assert total <= 140_000, sizes
    hosts = p.page.run("return [...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]")
    assert hosts == [f"127.0.0.1:{p.gateway.port}"], hosts
    for name in names:
        for address in re.findall(r"https?://[^'\"`\s]+", (ROOT / "deploy/page" / name).read_text()):
            # A link for a person to tap. The page never opens it itself.
            # Nor the name of what a picture is made of.
            assert address.startswith(("https://www.google.com/maps/dir/", "https://maps.apple.com/", "http://www.w3.org/2000/svg",
                                       "http://www.topografix.com/GPX/1/1", "http://www.opengis.net/kml/2.2")), (name, address)
