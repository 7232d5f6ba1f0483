"""Tests that the page says only what is true, and offers only what can work. They share a gateway and a browser."""
import json
import re

from access import contrasts
from rig import Page, eventually
from suite import test


@test
def a_tablets_sleep_ages_everything(p):
    """The monotonic clock stands still for 90 s, the wall clock goes on: all numbers are old until the next report."""
    page = p.page
    page.show("drive")
    eventually("live", lambda: not page.is_lost())
    seen = page.ask("""
        // Nothing comes in while this script runs.
        const before = [s.age('position'), s.silence()];
        const real = Date.now.bind(Date);
        Date.now = () => real() + 90000;
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}));
        const after = [s.age('position'), s.silence()], isLost = document.body.classList.contains('lost');
        const border = document.body.dataset.border;
        Date.now = real;
        return {before, after, isLost, border}""")
    assert all(89_000 < after - before < 91_500 for before, after in zip(seen["before"], seen["after"])), seen
    assert seen["isLost"] and seen["border"] == "red", seen
    # Here only the browser's clock jumped: a new stream is judged by its own first sign of life.
    page.run("document.dispatchEvent(new Event('visibilitychange'))")
    eventually("live again", lambda: not page.is_lost() and page.ask("return s.age('position') < 5000 && !!s.chase()"))


@test
def late_messages_are_told_by_how_much(p):
    """Messages that come 20 s late are no silence of 0 s; who hears the sonde is not said below what says that nobody knows."""
    page = p.page
    page.show("drive")
    seen = page.ask("""
        const {alive} = s.data, chip = () => document.getElementById('chip').checkVisibility(), before = chip();
        tell('alive', {...alive, at: new Date(Date.parse(alive.at) - 20000).toISOString()});
        document.getElementById('go-drive').click();
        const seen = [before, chip(), document.getElementById('lost').textContent];
        tell('alive', alive);
        return seen""")
    assert seen[:2] == [True, False] and re.match(r"No connection to the gateway for (19|2\d) s", seen[2]), seen


@test
def the_touch_itself_says_that_sound_is_on(p):
    """iOS speaks nothing unless it spoke within a touch. A context that a call suspended is resumed; until then the button
    says so, and no tone waits."""
    page = p.page
    page.show("drive")
    page.run("""
        window.said = []; window.beeps = 0; window.kept = {speak: speechSynthesis.speak, AudioContext};
        speechSynthesis.speak = words => said.push(words.text);
        window.AudioContext = class { currentTime = 0; state = 'running'; constructor() { window.audio = this; } close() {} resume() { this.asked = (this.asked ?? 0) + 1; return Promise.resolve(); }
            createOscillator() { return {frequency: {}, connect() {}, start() { beeps++; }, stop() {}}; } };""")
    try:
        state = lambda: page.run("const b = document.getElementById('sound'); return [b.ariaPressed, b.textContent]")
        spoken = page.run("document.getElementById('sound').click(); return said")
        assert spoken == ["Sound on."] and state() == ["true", "Sound here"], (spoken, state())
        before = page.run("audio.state = 'interrupted'; audio.onstatechange(); return beeps")
        eventually("paused", lambda: state() == ["false", "Paused"])
        assert page.run("return audio.asked") >= 1
        # Another touch anywhere asks again; once the browser grants it, the button says so.
        page.run("audio.resume = async () => { audio.state = 'running'; }; document.getElementById('drive').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")
        eventually("on", lambda: state() == ["true", "Sound here"])
        assert page.run("return beeps") == before
        page.run("document.getElementById('sound').click()")
        assert state() == ["false", "Sound here"]
    finally:
        page.run("speechSynthesis.speak = kept.speak; window.AudioContext = kept.AudioContext")


@test
def a_browser_that_keeps_nothing_gets_the_whole_page(p):
    """Reading the storage throws where site data is blocked."""
    page = Page(p.gateway, path="api/health")
    try:
        page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            for (const name of ['localStorage', 'sessionStorage'])
                Object.defineProperty(window, name, {get() { throw new DOMException('denied', 'SecurityError'); }});"""})
        page.browser.get(p.gateway.url)
        eventually("numbers", lambda: [text for text in page.texts("#numbers b") if text != "–"])
        eventually("all screens", lambda: page.run("return !!document.querySelector('#receiver td') && !!document.querySelector('#crew h2') && !!document.querySelector('#leaf.leaflet-container')"))
        assert not page.run("return document.getElementById('unstarted')")
        for key in "num":
            page.press(key)
        eventually("night", lambda: page.run("return document.body.classList.contains('night')"))
        assert not [c for c in page.complaints() if "Error" in c], page.complaints()
    finally:
        page.close()


@test
def before_the_first_predictions_are_good_drive_says_wait(p):
    """45 km to a landing point that may move by 54 km: no needle, no level of a margin, and the radius beside the distance."""
    page = p.page
    page.show("drive")
    script = """
        const {landing, chase} = s.data;
        s.data.landing = {...landing, error_radius_50_m: %d, landing_in_s: 7440, towards: {name: 'Biel'}, near: {name: 'Grenchen', distance_m: 2000, bearing_deg: 0}};
        s.data.chase = {...chase, landing: {...chase.landing, distance_m: %d, relative_bearing_deg: 62}, margin_s: 5400, route: {...chase.route, method: 'osrm', distance_m: 52000}};
        const draw = () => document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}));
        // From "Where is the car?" each advice is said at once; from another one only after a minute.
        const told = s.data.chase;
        s.data.chase = {};
        draw();
        s.data.chase = told;
        draw();
        const text = id => document.getElementById(id).textContent;
        const result = {word: document.getElementById('advice').dataset.word, heading: text('word'), form: document.getElementById('arrow').dataset.form, name: document.getElementById('arrow').getAttribute('aria-label'),
            doubt: document.querySelector('#numbers .doubt')?.textContent.replace(/\\s/g, ' '), level: document.querySelector('#numbers .level') != null,
            needle: document.getElementById('needle').checkVisibility()};
        Object.assign(s.data, {landing, chase});
        return result"""
    seen = page.ask(script % (54000, 45000))
    assert seen["word"] == "wait" and seen["heading"] == "Wait" and seen["form"] == "area" and not seen["needle"], seen
    assert seen["doubt"] == "± 54km" and "around you" in seen["name"], seen
    seen = page.ask(script % (16000, 38000))
    assert seen["heading"] == "Drive towards Biel" and seen["form"] == "sector" and not seen["needle"], seen
    assert "50 degrees" in seen["name"] and seen["level"], seen
    seen = page.ask(script % (400, 3200))
    assert seen["heading"] == "Go there: Grenchen" and seen["form"] == "needle" and seen["needle"], seen


@test
def the_last_minutes_have_reasons_of_their_own(p):
    """No direction is worth driving *yet* is wrong when it comes down soon; and nobody looks up below the horizon."""
    seen = p.page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'drive/sentences'].map(n => import(`/${n}.js`))).then(([s, {sentence}]) => {
            const {landing, chase} = s.data;
            s.data.landing = {...landing, error_radius_50_m: 1600};
            const whys = [sentence('wait', {}).why, sentence('area', {}).why];
            for (const elevation of [61, -16]) {
                s.data.chase = {...chase, sonde: {...chase.sonde, elevation_deg: elevation}};
                whys.push(sentence('look', {sight: {relative_bearing_deg: 0}}).why);
            }
            Object.assign(s.data, {landing, chase});
            done(whys);
        }, fault => done([String(fault)]))""")
    move = "The landing point can still move by 1.6\u00a0km. "
    assert seen == [move + "No direction is worth driving yet.", move + "Stay close: it comes down soon.", "ahead · 61°\u00a0high", "ahead"], seen


@test
def what_happened_before_the_page_was_opened_is_shown(p):
    """Whoever opens the page after the burst sees the events, and hears none of them."""
    told = json.loads(p.gateway.get("api/events/last"))
    assert told and all(one["at"] and one["text"] for one in told), told
    page = Page(p.gateway, path="api/health")
    try:
        page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "window.said = []; speechSynthesis.speak = words => said.push(words.text);"})
        page.browser.get(p.gateway.url + "#crew")
        # The oldest: of a landing point that moves and moves only the newest is shown.
        eventually("events", lambda: any(told[0]["text"] in text for text in page.texts("#crew .events li")))
        assert not page.run("return said")
        # Times of different lengths: the signs stand below one another.
        signs = page.run("return [...document.querySelectorAll('#crew .events svg')].map(e => Math.round(e.getBoundingClientRect().left))")
        assert len(signs) > 1 and len(set(signs)) == 1, signs
    finally:
        page.close()


@test
def an_event_from_before_the_clock_was_set_keeps_its_age(p):
    """A box without clock battery starts two hours behind: what has just happened is not two hours old once the clock is set."""
    page = Page(p.gateway, path="#crew")
    try:
        eventually("the list", lambda: page.texts("#crew .events li"))
        seen = page.browser.execute_async_script("""
            const done = arguments[0];
            Promise.all(['shared/stream', 'crew/events'].map(n => import(`/${n}.js`))).then(([s, events]) => {
                const tell = (kind, report) => stream.dispatchEvent(new MessageEvent(kind, {data: JSON.stringify(report)}));
                const alive = s.data.alive, at = hours => new Date(Date.parse(alive.at) + hours * 3600000).toISOString();
                const seen = {};
                tell('alive', {...alive, at: at(0), clock_synced: false});
                tell('event', {at: at(0), event: 'burst', text: 'Heard by the wrong clock', language: 'en'});
                tell('alive', {...alive, at: at(2), clock_synced: true});
                for (const clock_synced of [true, false]) {
                    s.data.alive = {...s.data.alive, clock_synced};
                    events.drawEvents();
                    seen[clock_synced] = events.list.querySelector('li[data-event=burst] time').textContent;
                }
                seen.now = new Date(at(2)).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'});
                done(seen);
            })""")
    finally:
        page.close()
    # A minute may begin between the two.
    minutes = [int(text[:2]) * 60 + int(text[3:]) for text in (seen["now"], seen["true"])]
    assert 0 <= (minutes[1] - minutes[0]) % 1440 <= 1, seen
    assert re.fullmatch(r"[0-3]\Ws ago", seen["false"]), seen


@test
def the_burst_killer_is_a_time_of_day_from_either_source(p):
    page = p.page
    seen = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'receiver/rows'].map(n => import(`/${n}.js`))).then(([s, rows]) => {
            const {radio, position, alive} = s.data, at = new Date(s.gatewayTime() + 600000).toISOString();
            const table = rows.table(['killer']), show = () => { table.draw(); return table.root.querySelector('td').textContent; };
            s.data.alive = {...alive, clock_synced: true};
            s.data.radio = {...radio, burst_killer_enabled: true, burst_killer_s: 600};
            const receivers = show();
            s.data.radio = {...radio, burst_killer_enabled: false, burst_killer_s: null};
            s.data.position = {...position, burst_killer_at: at};
            const sondehubs = show();
            s.data.position = {...position, burst_killer_at: null};
            const none = show();
            Object.assign(s.data, {radio, position, alive});
            done({receivers, sondehubs, none});
        })""")
    assert re.fullmatch(r"\d\d:\d\d", seen["receivers"]) and re.fullmatch(r"\d\d:\d\d", seen["sondehubs"]), seen
    assert seen["none"] == "–", seen


@test
def what_cannot_work_is_not_offered(p):
    """The recovery while it climbs, or without a call sign; tuning to where the receiver is tuned; a field with a frequency
    that nobody set; controls without a receiver."""
    page = p.page
    page.show("crew")
    buttons = lambda: page.run("return [...document.querySelectorAll('#crew .part button')].filter(b => b.checkVisibility()).map(b => b.textContent)")
    set_up = """const {state, bridge_info} = s.data; window.begun ??= {state, bridge_info};
        s.data.state = {...begun.state, phase: '%s'};
        s.data.bridge_info = {...begun.bridge_info, configuration: {...begun.bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': %s}};"""
    try:
        page.ask(set_up % ("ascending", "'HB9ABC'"))
        assert "Recovered" not in buttons(), buttons()
        page.ask(set_up % ("landed", "'HB9ABC'"))
        eventually("offered", lambda: {"Recovered", "Not found"} <= set(buttons()))
        page.ask(set_up % ("landed", "undefined"))
        eventually("explained", lambda: "Recovered" not in buttons() and "needs a call sign" in page.run("return document.getElementById('crew').innerText"))
        page.ask("""tell('sondes', {sondes: [403.5, 404.5].map((f, i) => ({serial: `V421015${i}`, sonde_type: 'RS41', frequency_mhz: f, latitude: 46.9, longitude: 7, altitude_m: 12000,
            phase: 'ascending', age_ms: 20000, distance_m: 12300, bearing_deg: 90, hunted: false}))})""")
        eventually("one to tune to", lambda: buttons().count("Tune") == 1 and buttons().count("Hunt this") == 2)
    finally:
        page.ask("Object.assign(s.data, window.begun ?? {}); delete s.data.sondes")
    page.show("receiver")
    field = lambda: page.run("const f = document.getElementById('mhz'); return [f.value, f.placeholder, document.getElementById('tune').disabled]")
    eventually("an empty field with the range", lambda: field() == ["", "400–406", True])
    assert page.texts(".tuned b") == ["403.500"], page.texts(".tuned b")
    write = "const f = document.getElementById('mhz'); f.value = arguments[0]; f.dispatchEvent(new Event('input', {bubbles: true})); return document.getElementById('tune').disabled"
    assert page.run(write, "403.5") is True and page.run(write, "404,5") is False and page.run(write, "") is True
    seen = page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'receiver/receiver'].map(n => import(`/${n}.js`))).then(([s, r]) => {
            const {radio} = s.data, all = '.lead :is(input, select, button), .settings :is(input, select, button)', live = [];
            const look = () => {
                r.drawReceiver();
                live.push(...[...document.querySelectorAll(`#receiver :is(${all})`)].filter(e => !e.disabled && e.checkVisibility()).map(e => e.outerHTML));
            };
            // It was never there; it was there and is away: its last values stay.
            s.data.radio = {};
            s.data.receiver_state = 'offline';
            look();
            s.data.radio = radio;
            look();
            const word = document.querySelector('.state').textContent;
            s.data.receiver_state = 'online';
            r.drawReceiver();
            done([live, word, [...document.querySelectorAll(`#receiver :is(${all})`)].filter(e => !e.disabled).length]);
        })""")
    assert not seen[0] and seen[1] == "not connected" and seen[2] > 40, seen


@test
def a_phone_gets_no_code_of_the_page_that_it_shows(p):
    """The link stays as words: for a second phone."""
    page = p.page
    page.show("receiver")
    try:
        page.run("window.answered = window.fetch; window.fetch = path => path == 'api/link' ? Promise.resolve(new Response('{\"url\":\"http://10.42.0.1:8080/\",\"name\":\"http://car1.local:8080/\",\"here\":false}')) : answered(path)")
        page.show("drive")
        page.show("receiver")
        eventually("the link", lambda: "10.42.0.1" in page.run("return document.getElementById('phone').textContent"))
        assert "car1.local" in page.run("return document.getElementById('phone').textContent")
        visible = lambda: page.run("return document.querySelector('#phone canvas')?.checkVisibility()")
        assert visible()
        page.resize(390, 844)
        assert not visible()
    finally:
        page.run("window.fetch = answered")
        page.resize(1024, 600)


@test
def a_landing_is_an_event_on_drive(p):
    """LANDED with its time and place across the screen; at the sonde the report that it is found, and only where SondeHub
    would take it; the way there in one touch on a phone."""
    page = p.page
    page.show("drive")
    set_up = """
        window.before ??= {...s.data};
        const {state, landing, flight, chase, bridge_info} = before, at = '2026-11-28T14:20:00.000Z', place = {latitude: 47.2131, longitude: 7.3957, altitude_m: 702};
        s.data.state = {...state, phase: 'landed'};
        s.data.flight = {...flight, phase: 'landed', landed: {...place, time: at, time_is_estimate: false}};
        s.data.landing = {...landing, ...place, source: 'observed', landing_at: at, near: {name: 'Grenchen', distance_m: 2000, bearing_deg: 0}};
        const sight = {...chase.landing, distance_m: %d, relative_bearing_deg: -47};
        const car = {...chase.car, latitude: place.latitude - 0.7 * sight.distance_m / 111195, longitude: place.longitude + 0.7 * sight.distance_m / 75500};
        s.data.chase = {...chase, car, sonde: sight, landing: sight};
        s.data.bridge_info = {...bridge_info, configuration: {...bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': %s}};
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}));
        const shown = id => document.getElementById(id)?.checkVisibility() ?? false;
        return {word: document.getElementById('word').textContent, why: document.getElementById('why').textContent, tone: document.getElementById('advice').dataset.tone,
            found: shown('found'), wide: document.getElementById('advice').getBoundingClientRect().width / document.getElementById('drive').getBoundingClientRect().width,
            title: document.title, form: document.getElementById('arrow').dataset.form, main: document.getElementById('take').classList.contains('strong')}"""
    try:
        far = page.ask(set_up % (2400, "'HB9ABC'"))
        assert re.fullmatch(r"LANDED( \d\d:\d\d| \d+ \w+ ago)?", far["word"]) and far["tone"] == "down" and far["wide"] > 0.99, far
        assert "2.0\u00a0km north of Grenchen" in far["why"] or "2\u00a0km north of Grenchen" in far["why"], far
        assert far["form"] == "needle" and not far["found"] and far["main"] and far["title"].startswith("LANDED · 2.4"), far
        assert not page.ask(set_up % (78, "undefined"))["found"]
        near = page.ask(set_up % (78, "'HB9ABC'"))
        assert near["found"] and near["why"].endswith("from here on foot"), near
        # The last 200 m in the dial's place, to scale, with the car's own way.
        def walk():
            # The gateway's own reports go on, and would take the place of these.
            page.ask(set_up % (78, "'HB9ABC'"))
            return page.run("""
                const w = document.getElementById('walk'), r = w?.getBoundingClientRect();
                const own = w?.querySelector('.own')?.getBoundingClientRect(), isIn = own && own.left > r.left && own.right < r.right && own.top > r.top && own.bottom < r.bottom;
                return w?.checkVisibility() && !document.getElementById('arrow').checkVisibility() && isIn && w.querySelectorAll('.range').length == 2 && w.textContent.includes('50\u00a0m') && w.ariaLabel""")
        for width, height in Page.SIZES:
            page.resize(width, height)
            page.ask(set_up % (78, "'HB9ABC'"))
            assert re.match(r"to sonde · 78\u00a0m · half left", eventually("the walk", walk)), walk()
            page.picture(f"drive-walk-{width}")
        page.resize(1024, 600)
        page.picture("drive-found")
        page.run("document.getElementById('found').click()")
        assert page.texts("dialog .strong") == ["Recovered"]
        page.run("window.sent = []; window.answered = window.fetch; window.fetch = (path, options) => options?.method == 'POST' ? (sent.push(JSON.parse(options.body)), Promise.resolve(new Response('{\"final\":false}'))) : answered(path, options);")
        page.run("document.querySelector('dialog input').value = 'in a hedge'; document.querySelector('dialog .strong').click()")
        eventually("the question", lambda: "Everybody sees this" in page.texts("dialog h2")[0])
        page.run("document.getElementById('yes').click()")
        eventually("sent", lambda: [one["recovery"] for one in page.run("return sent")] == [{"state": "recovered", "note": "in a hedge"}])
    finally:
        page.run("window.fetch = window.answered ?? window.fetch; document.querySelector('dialog')?.close()")
        page.ask("Object.assign(s.data, before); delete window.before")


@test
def the_ribbon_shows_past_and_future(p):
    page = p.page
    page.show("drive")
    eventually("the ribbon", lambda: page.run("const r = document.getElementById('ribbon'); return !r.hidden && r.querySelector('.past') && r.querySelector('.next') && r.querySelector('.at.landing') && r.querySelector('.at.arrival')"))
    name = lambda: page.run("return document.getElementById('ribbon').getAttribute('aria-label')")
    eventually("its name", lambda: re.match("Altitude against time, lands .*, you at best ", name()))
    for width, height in Page.SIZES:
        page.resize(width, height)
        # It is drawn anew within two seconds.
        eventually("labels inside", lambda: page.run("""
            const box = document.getElementById('ribbon').getBoundingClientRect();
            const labels = [...document.querySelectorAll('#ribbon .label')].map(e => e.getBoundingClientRect());
            return labels.length >= 2 && labels.every((r, i) => r.left >= box.left && r.right <= box.right + 1 && labels.every((o, k) => k >= i || r.right <= o.left || o.right <= r.left || r.bottom <= o.top || o.bottom <= r.top))"""), 10)
    page.resize(1024, 600)


@test
def the_ribbon_is_under_the_map_too(p):
    """On each size, with the same marks as under Drive, and below the numbers."""
    page = p.page
    page.show("map")
    for width, height in Page.SIZES:
        page.resize(width, height)
        eventually("the ribbon", lambda: page.run("""
            const r = document.getElementById('flown'), at = r.getBoundingClientRect(), strip = document.getElementById('strip').getBoundingClientRect();
            return !r.hidden && r.querySelector('.past') && r.querySelector('.at.landing') && r.getAttribute('aria-label').startsWith('Altitude') && at.top >= strip.bottom - 1 && at.bottom <= innerHeight"""), 10)
    page.resize(1024, 600)


@test
def all_data_says_where_everything_is(p):
    """Coordinates of sonde, landing point and car, and each in words by the page's own towns."""
    page = p.page
    page.show("map")
    page.run("document.getElementById('strip').click()")
    try:
        cells = lambda: page.run("return [...document.querySelectorAll('dialog tr')].filter(r => r.firstChild.textContent == 'Place').map(r => r.lastChild.textContent)")
        eventually("three places in words", lambda: len(cells()) == 3 and all(re.match(r"4\d\.\d{5}, [67]\.\d{5} · .*[A-Z]", text) for text in cells()))
        assert page.texts("dialog h3") == ["Sonde", "Landing point", "Car"], page.texts("dialog h3")
        # A long value makes no name break.
        broken = page.run("return [...document.querySelectorAll('dialog th')].filter(e => new Set([...(a => (a.selectNodeContents(e), a.getClientRects()))(document.createRange())].map(r => r.top)).size > 1).map(e => e.textContent)")
        assert not broken, broken
    finally:
        page.run("document.querySelector('dialog').close()")


@test
def a_list_that_goes_on_below_says_so(p):
    """Layers, More and All data: a sign while there is more below, and none at the end."""
    page = p.page
    page.show("map")
    page.resize(390, 500)
    try:
        for opener in ("layers", "more", "strip"):
            page.run("document.getElementById(arguments[0]).click()", opener)
            has = lambda: page.run("return document.querySelector('dialog').classList.contains('more') && getComputedStyle(document.querySelector('dialog .close'), '::after').opacity == 1")
            eventually(f"a sign in {opener}", has)
            page.run("const d = document.querySelector('dialog'); d.scrollTop = d.scrollHeight")
            eventually("none at the end", lambda: not page.run("return document.querySelector('dialog').classList.contains('more')"))
            page.run("document.querySelector('dialog').close()")
    finally:
        page.resize(1024, 600)


@test
def a_fault_of_sondehub_is_no_lost_sonde(p):
    """SondeHub answers with HTTP 500: the page says that, and not that SondeHub no longer hears the sonde."""
    page = p.page
    page.show("receiver")
    words = page.ask("""
        const kept = {...s.data}, {state, position} = kept;
        s.data.state = {...state, state: 'noTelemetry', source: 'sondehub', reason: 'sondehub_timed_out', sondehub: {...state.sondehub, poll_s: 15, error: 'status'}};
        s.data.position = {...position, received_at: '2020-01-01T00:00:00.000Z', source: 'sondehub'};
        document.getElementById('go-receiver').click();
        const seen = [m.border().join(' '), document.getElementById('receiver').textContent];
        Object.assign(s.data, kept);
        return seen""")
    assert words[0] == "red SondeHub: does not answer (server fault)", words[0]
    assert "SondeHub: does not answer (server fault)" in words[1] and "no longer hears" not in words[1], words[1]


@test
def all_components_stand_on_one_page(p):
    """`#design` shows colours, letters, icons, levels, the advice and the controls; each word has 4.5:1, by day and by night."""
    page = Page(p.gateway, path="#design")
    try:
        eventually("the components", lambda: page.run("return document.querySelectorAll('#design .sample svg').length > 25"))
        for width, height in ((1024, 600), (390, 844)):
            page.resize(width, height)
            for time in page.by_day_and_night():
                page.picture(f"design-{width}x{height}-{time}")
                _, low = contrasts(page, "#design *", 4.5)
                assert not low, (width, time, low)
                wide = page.run("return [...document.querySelectorAll('#design .card')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 30))")
                assert not wide, (width, wide)
    finally:
        page.close()


@test
def the_dial_is_large_wherever_there_is_room(p):
    """On an upright tablet it gets the height that the numbers leave; without the gateway the foot stays below the numbers; a
    phone that lies on its side keeps all buttons of the rail, with a proposal, too."""
    page = p.page
    page.show("drive")
    at = "const at = id => document.getElementById(id).getBoundingClientRect();"
    try:
        for width, height, least in ((768, 1024, 280), (834, 1112, 300), (390, 844, 150)):
            page.resize(width, height)
            page.settle()
            side = page.run(at + "const r = at('arrow'); return Math.min(r.width, r.height)")
            assert side >= least, (width, height, side)
        for width, height in (*page.SIZES, (768, 1024), (844, 390)):
            page.resize(width, height)
            below = page.run(at + "const a = document.getElementById('advice'); a.hidden = true; const r = [at('numbers').bottom, at('below').top, at('below').bottom, at('drive').bottom]; a.hidden = false; return r")
            assert below[0] <= below[1] + 1 and abs(below[2] - below[3]) < 2, (width, height, below)
        page.resize(844, 390)
        page.ask("s.data.proposal = {frequency_mhz: 404.2, sonde_type: 'RS41', serial: 'V4210150'}")
        ends = lambda: page.run("return [...document.querySelectorAll('nav button')].filter(b => b.checkVisibility()).map(b => b.getBoundingClientRect().bottom)")
        eventually("all of the rail", lambda: page.run("return document.getElementById('offer').checkVisibility()") and max(ends()) <= 390)
    finally:
        page.ask("s.data.proposal = {}")
        page.resize(1024, 600)


@test
def the_receiver_leads_with_what_it_hears(p):
    """Frequency, signal and battery come first, on a phone, too; the keys come once the field is touched, and a switch is one."""
    page = p.page
    page.resize(390, 844)
    page.show("receiver")
    try:
        tops = "return ['.tuned', '.signal', '#connections', '.settings', '.options'].map(q => document.querySelector(`#receiver ${q}`).getBoundingClientRect().top)"
        seen = eventually("the cards", lambda: (t := page.run(tops)) and len(page.texts(".settings form")) > 5 and t)
        assert seen == sorted(seen) and seen[1] < 500, seen
        eventually("the battery", lambda: " %" in page.texts(".signal .dim")[0])
        keys = "return document.querySelector('.keys').checkVisibility()"
        assert not page.run(keys)
        page.run("document.getElementById('mhz').focus()")
        assert page.run(keys)
        eventually("a line", lambda: "L" in page.run("return document.querySelector('.trace path:last-child').getAttribute('d')"))
        flags = page.run("return [...document.querySelectorAll('.settings [role=switch]')].map(e => e.ariaLabel)")
        assert "Display on" in flags, flags
    finally:
        page.run("document.getElementById('mhz').blur(); document.querySelector('.keys').hidden = true")
        page.resize(1024, 600)


@test
def the_receiver_says_what_is_kept(p):
    """Recording, unsent messages, the gateway's clock, and the newest flights with their files."""
    page = p.page
    page.show("receiver")
    links = lambda: page.run("return [...document.querySelectorAll('#receiver .flights a')].map(a => a.getAttribute('href'))")
    eventually("the flight in hand as files", lambda: any(re.fullmatch(r"flights/\w+\.gpx", link) for link in links()))
    seen = page.ask("""
        const {health, alive} = s.data, show = () => {
            document.getElementById('go-receiver').click();
            return Object.fromEntries([...document.querySelectorAll('#receiver tr')].map(r => [r.firstChild.textContent, r.lastChild.textContent]));
        };
        s.data.health = {...health, store_fault: null, queue_depth: 0, spool: {depth: 0}};
        s.data.alive = {...alive, clock_synced: true};
        const good = show();
        s.data.health = {...health, store_fault: 'full', queue_depth: 2, spool: {depth: 31}};
        s.data.alive = {...alive, clock_synced: false};
        const bad = show();
        Object.assign(s.data, {health, alive});
        return [good, bad]""")
    rows = [[one[name] for name in ("Recording", "Unsent messages", "Clock")] for one in seen]
    assert rows[0][:2] == ["works", "none"] and re.fullmatch(r"\d\d:\d\d", rows[0][2]), rows
    assert rows[1] == ["the disk is full", "33 kept until the broker answers", "not set: no times are shown"], rows


@test
def a_car_that_is_known_is_not_missing(p):
    """gpsd may be silent while a phone tells where the car is: then nothing says that the page does not know it."""
    seen = p.page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all(['shared/stream', 'shared/diagnosis'].map(n => import(`/${n}.js`))).then(([s, d]) => {
            const {chase} = s.data, line = {subject: 'gpsd', ok: false, text: '', code: 'gpsd_silent'};
            const known = d.isMet(line);
            s.data.chase = {};
            const unknown = d.isMet(line);
            s.data.chase = chase;
            done([known, unknown, d.isMet({...line, subject: 'broker'})]);
        })""")
    assert seen == [True, False, False], seen


@test
def a_home_screen_gets_a_name_an_icon_and_the_number(p):
    """Manifest and icon are served, the tab's title leads with the number, and the bar of a phone follows the night."""
    page = p.page
    page.show("drive")
    links = lambda: page.run("return Object.fromEntries([...document.querySelectorAll('link[rel]')].map(l => [l.rel, new URL(l.href).pathname.slice(1)]))")
    eventually("links", lambda: {"icon", "apple-touch-icon", "manifest"} <= links().keys())
    manifest = json.loads(p.gateway.get(links()["manifest"]))
    assert manifest["name"] and manifest["start_url"] and manifest["display"], manifest
    assert all(b"<svg" in p.gateway.get(path) for path in [links()["icon"], *(one["src"] for one in manifest["icons"])])
    # An iPhone draws no SVG there.
    assert p.gateway.get(links()["apple-touch-icon"]).startswith(b"\x89PNG")
    eventually("a title with numbers", lambda: re.match(r"\S+\s(m|km)( ± .+)? · .*\d.* · sondygo2mqtt", page.run("return document.title")))
    colour = lambda night: eventually("a colour", lambda: page.run("localStorage.night = arguments[0]; return document.body.classList.contains('night') == (arguments[0] == 'on') && document.getElementById('theme').content", night))
    try:
        assert colour("on") != colour("off")
    finally:
        page.run("localStorage.removeItem('night')")


@test
def the_cars_marker_has_a_nose_while_it_drives(p):
    """A standing car has no course: then its marker is a disc, and points nowhere."""
    page = p.page
    page.show("map")
    seen = page.ask("""
        const {chase} = s.data, shown = course => {
            s.data.chase = {...chase, car: {...chase.car, course_deg: course}};
            document.getElementById('go-map').click();
            const car = document.querySelector('.mark.car');
            return [...['.nose', '.disc'].map(q => [...car.querySelectorAll(q)].every(e => e.checkVisibility())), car.style.getPropertyValue('--course')];
        };
        const result = [shown(80), shown(null)];
        s.data.chase = chase;
        return result""")
    assert seen == [[True, False, "80deg"], [False, True, "0deg"]], seen
