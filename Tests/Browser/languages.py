"""Tests of the page in its languages. They share a gateway and a browser."""
import json
import re
import signal
import urllib.request

from rig import LANGUAGES, Gateway, Page, eventually, free_port
from shared import LAYOUT
from suite import test

# Collects the visible words, also those for a screen reader, that are neither of the page's language nor names.
LEAKS = """
    const [done] = [arguments[arguments.length - 1]], words = text => text.match(/\\p{L}[\\p{L}\\p{M}’']+/gu) ?? [];
    const split = text => words(text).flatMap(w => [w, ...w.split(/[’']/)]);
    Promise.all(['shared/texts', 'shared/stream', 'shared/language'].map(n => import(`/${n}.js`))).then(async ([{T, language}, s, {names}]) => {
        const allowed = new Set(), allow = text => split(String(text)).forEach(w => allowed.add(w.toLowerCase()));
        const walk = v => typeof v == 'function' ? [0, 1, 2, 5].forEach(n => allow(v(Object.fromEntries(v.names.map(name => [name, n]))))) : typeof v == 'object' ? Object.values(v).forEach(walk) : allow(v);
        walk(T);
        // The gateway writes the words of setup.
        walk((await s.json(`/api/setup?language=${language}`))?.words ?? {});
        // Names, units and what the gateway says in its own language.
        ['sondygo mqtt SondeHub Leaflet MySondyGO MySondyGo dBm MHz Hz kHz ms gpx kml csv geojson RS PILOT DFM',
            ...Object.values(names), 'http', 'localhost', 'Payerne', 'tomorrow', 'HB9ABC', 'HB', 'ABC', 'BLE'].forEach(allow);
        const d = s.data;
        [d.state?.serial, d.position?.sonde_type, d.state?.receiver?.name, d.bridge_info?.version, d.bridge_info?.language, d.settings?.callsign, ...(d.sondes?.sondes ?? []).map(o => o.serial)].forEach(allow);
        for (const f of (await s.json('/api/flights'))?.flights ?? []) {
            allow(f.serial);
            allow(new Date(f.first_at).toLocaleDateString(language, {dateStyle: 'medium'}));
        }
        // The towns of the simulated flight.
        const load = () => Promise.all([import('/map/outlines.js'), fetch('/base/boxes/N45E005.bin').then(answer => answer.arrayBuffer())]);
        window.townNames ??= await load().then(([{decode}, box]) => decode(new Uint8Array(box), {west: 5, south: 45}).places.map(place => place.name));
        townNames.forEach(allow);
        const leaks = [];
        // Before a vowel a name stands with an elided word: "d'Avenches". Then each part is allowed.
        const has = w => allowed.has(w.toLowerCase()), isKnown = w => has(w) || w.split(/[’']/).every(has);
        const look = (text, where) => { for (const w of words(text)) if (!isKnown(w) && !/\\d/.test(w)) leaks.push(`${w} (${where.id || where.className || where.tagName}: ${text.slice(0, 60)})`); };
        for (const e of document.querySelectorAll('body *')) {
            if (!e.checkVisibility() || e.closest('.town, #events, .events, code, script, style') || e.matches('.settings small, .leaflet-marker-icon *')) continue;
            for (const n of e.childNodes) if (n.nodeType == 3 && n.textContent.trim()) look(n.textContent, e);
            for (const name of ['aria-label', 'title', 'placeholder', 'alt']) look(e.getAttribute(name) ?? '', e);
        }
        done([...new Set(leaks)]);
    })"""


# Puts the signal's bar on Drive with its longest words; tells what does not fit.
HUNTED = """
    const done = arguments[0];
    Promise.all(['shared/stream', 'hunt/bar', 'shared/texts'].map(n => import(`/${n}.js`))).then(([s, bar, {T}]) => {
        const hear = serial => stream.dispatchEvent(new MessageEvent('signal', {data: JSON.stringify({serial, rssi_dbm: -107, mean_dbm: -108,
            peak_dbm: -109, trend: 'falling', heard_at: s.data.alive.at, age_ms: 100, estimate: null})}));
        const {position} = s.data;
        hear('X1234567');
        hear(s.data.state.serial);
        s.data.position = {...position, age_ms: 60000};
        bar.drawHunt();
        const faults = (() => {""" + LAYOUT + """})();
        const box = document.getElementById('hunt'), edges = box.getBoundingClientRect();
        if (!box.checkVisibility()) faults.push('no bar');
        for (const e of box.querySelectorAll('*')) {
            const r = e.getBoundingClientRect();
            if (r.width && (r.left < edges.left - 1 || r.right > edges.right + 1 || r.bottom > edges.bottom + 1)) faults.push(`${e.id || e.className} leaves the bar`);
        }
        for (const b of box.querySelectorAll('button')) if (b.getBoundingClientRect().height < 47.5) faults.push(`${b.id} is low`);
        s.data.position = position;
        done(faults);
    })"""


def speak(page, language):
    """Opens the page anew in a language."""
    page.run("if (arguments[0]) localStorage.language = arguments[0]; else localStorage.removeItem('language')", language)
    page.run("sessionStorage.clear(); document.body.dataset.before = '1'")
    page.browser.refresh()
    eventually(f"the page in {language}", lambda: page.run(
        "return !document.body.dataset.before && document.querySelector('#receiver td') && !!document.querySelector('#crew h2')"), 30)
    page.show("drive")
    eventually("reports", lambda: page.ask("return !!s.landing() && !!s.chase() && !!s.radio()"))


def leaks(page):
    return page.browser.execute_async_script(LEAKS)


@test
def no_english_word_is_left(p):
    """Each screen, dialog and answer in each language: all visible words, and those for a screen reader."""
    page = p.page
    try:
        for language in LANGUAGES:
            speak(page, language)
            assert page.run("return document.documentElement.lang") == language
            page.ask("""
                tell('sondes', {sondes: [{serial: 'V4210151', sonde_type: 'RS41', frequency_mhz: 404.5, latitude: 46.9, longitude: 7, altitude_m: 12000,
                    phase: 'ascending', age_ms: 20000, distance_m: 12300, bearing_deg: 90, hunted: false, recovery: 'planned'}]});
                tell('crews', {crews: [{callsign: 'HB9ABC', latitude: 46.9, longitude: 7, age_ms: 60000, distance_to_landing_m: 3400}]});
                s.data.recovery = {serial: 'V4210151', state: 'planned', by: 'HB9ABC', note: 'tomorrow'};
                s.data.proposal = {frequency_mhz: 404.2, sonde_type: 'RS41', serial: 'V4210150'};
                s.data.launches = {launches: [{site: '06610', name: 'Payerne', launch_at: '2026-11-25T23:00:00.000Z', landing: null, distance_m: 18000, drive_s: 1500}]};""")
            seen = 0
            for screen in ("drive", "map", "crew", "receiver"):
                page.show(screen)
                if screen == "crew":
                    eventually("charts", lambda: page.run("return document.querySelectorAll('#crew .chart canvas').length >= 2"))
                if screen == "receiver":
                    eventually("settings", lambda: page.texts(".settings form"))
                    page.run("document.querySelector('details').open = true")
                page.settle()
                found = leaks(page)
                assert not found, (language, screen, found)
                page.picture(f"{language}-{screen}")
                seen += 1
            page.show("map")
            eventually("markers", lambda: page.run("return document.querySelectorAll('.mark.sonde, .mark.landing, .mark.car').length == 3"))
            openings = {
                "more": "document.getElementById('more').click()", "layers": "document.getElementById('layers').click()",
                "panel": "document.getElementById('strip').click()",
                "keys": "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))",
                "sonde": "document.querySelector('.mark.sonde').click()", "landing": "document.querySelector('.mark.landing').click()",
                "car": "document.querySelector('.mark.car').click()", "take": "document.getElementById('take').click()",
            }
            for name, opening in openings.items():
                page.run(opening)
                eventually(name, lambda: page.texts("dialog h2"))
                found = leaks(page)
                assert not found, (language, name, found)
                page.picture(f"{language}-dialog-{name}")
                page.run("document.querySelector('dialog').close()")
                eventually("closed", lambda: not page.texts("dialog"))
                seen += 1
            # A question, a refusal, and the answer that the gateway gives in English only.
            page.run("document.getElementById('offer').click()")
            eventually("a question", lambda: page.texts("dialog h2"))
            assert not leaks(page), (language, "question", leaks(page))
            page.run("document.querySelector('dialog').close()")
            page.browser.execute_async_script("""
                const done = arguments[0];
                import('/shared/command.js').then(c => c.send({options: {burst_altitude_m: 1}}, 'x').then(done))""")
            answer = eventually("a refusal", lambda: page.texts("#toast")[0])
            assert not leaks(page), (language, answer, leaks(page))
            # The map's pages of loss.
            page.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'n', bubbles: true}))")
            p.gateway.kill(signal.SIGSTOP)
            eventually("lost", lambda: page.texts("#lost")[0])
            for screen in ("drive", "map"):
                page.show(screen)
                # A stopped gateway does not answer what its flights are called.
                page.run("window.answered = window.fetch; window.fetch = () => Promise.reject(new Error('stopped'))")
                assert not leaks(page), (language, "lost", leaks(page))
                page.run("window.fetch = answered")
                page.picture(f"{language}-lost-{screen}")
            p.gateway.kill(signal.SIGCONT)
            eventually("back", lambda: not page.is_lost())
            print(f"    {language}: {seen + 3} screens, dialogs and answers")
    finally:
        p.gateway.kill(signal.SIGCONT)
        page.run("localStorage.night = 'auto'")
        speak(page, "en")


@test
def each_language_fits_all_sizes(p):
    page = p.page
    try:
        for language in LANGUAGES:
            speak(page, language)
            for width, height in Page.SIZES:
                page.resize(width, height)
                for screen in ("drive", "map", "crew", "receiver"):
                    page.show(screen)
                    page.settle()
                    faults = page.run(LAYOUT)
                    page.picture(f"{language}-{screen}-{width}x{height}")
                    assert not faults, (language, screen, width, height, faults)
                # The longest words beside the largest numbers.
                page.show("drive")
                faults = page.browser.execute_async_script("""
                    const done = arguments[0];
                    Promise.all(['shared/stream', 'drive/drive'].map(n => import(`/${n}.js`))).then(([s, d]) => {
                        for (const part of ['sonde', 'landing']) s.data.chase[part].relative_bearing_deg = 225;
                        s.data.chase.margin_s = -5000;
                        s.data.landing = {...s.data.landing, landing_in_s: 8220, landing_error_50_s: 1400};
                        s.data.chase.route = {...s.data.chase.route, method: 'osrm'};
                        d.drawDrive();
                        done((() => {""" + LAYOUT + """})());
                    })""")
                assert not faults, (language, width, height, faults)
                # The signal's bar below them, with two sondes on one frequency.
                faults = page.browser.execute_async_script(HUNTED)
                assert not faults, (language, "hunt", width, height, faults)
    finally:
        page.resize(1024, 600)
        speak(page, "en")


# Tells which parts of the small print and which labels of the map's numbers take two lines: in flight, and on foot at the sonde.
ROWS = """
    const done = arguments[0];
    Promise.all(['shared/stream', 'hunt/bar'].map(n => import(`/${n}.js`))).then(([s]) => {
        const kept = {...s.data}, {state, landing, position, flight, chase} = s.data, faults = [];
        const lines = e => { const range = document.createRange(); range.selectNodeContents(e); return new Set([...range.getClientRects()].map(r => Math.round(r.bottom / 6))).size; };
        const look = (name, key, most) => {
            document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
            for (const e of document.querySelectorAll(key == 'd' ? '#small > *' : '#strip .label')) if (lines(e) > 1) faults.push(`${name}: "${e.textContent}" breaks`);
            const small = document.getElementById('small'), height = small.clientHeight / parseFloat(getComputedStyle(small).lineHeight);
            if (key == 'd' && height > most) faults.push(`${name}: ${height} lines of "${small.textContent}"`);
        };
        const turned = {bearing_deg: 280, relative_bearing_deg: 315};
        s.data.chase = {...chase, sonde: {...chase.sonde, ...turned}, landing: {...chase.landing, ...turned}};
        look('flight', 'd', 3.2);
        look('flight', 'm');
        s.data.state = {...state, phase: 'landed'};
        s.data.landing = {...landing, source: 'observed', landing_in_s: null};
        s.data.flight = {...flight, landed: {...position, time: position.time}};
        s.data.chase = {...chase, car: {...chase.car, course_deg: null}, sonde: {...chase.sonde, distance_m: 140, relative_bearing_deg: null}};
        s.data.bridge_info = {...kept.bridge_info, configuration: {...kept.bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': 'HB9ABC'}};
        look('on foot', 'd', 3.4);
        if (!document.getElementById('found').checkVisibility()) faults.push('only one button');
        look('on foot', 'm');
        Object.assign(s.data, kept);
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}));
        done(faults);
    })"""


# Tells what of Receiver takes two lines or is cut: frequency and type, the battery, the choices of the settings, long buttons.
RECEIVER_ROWS = """
    const faults = [], pen = document.createElement('canvas').getContext('2d');
    for (const q of ['.tuned .big', '.signal .dim']) {
        const e = document.querySelector(`#receiver ${q}`), range = document.createRange();
        range.selectNodeContents(e);
        const tops = [...range.getClientRects()].filter(r => r.width).map(r => r.bottom), low = Math.max(...tops), size = parseFloat(getComputedStyle(e).fontSize);
        if (low - Math.min(...tops) > size) faults.push(`${q} "${e.textContent}" breaks`);
    }
    for (const e of document.querySelectorAll('#receiver .settings select, #receiver .options select')) {
        const style = getComputedStyle(e), text = e.selectedOptions[0]?.textContent ?? '';
        if (!e.checkVisibility()) continue;
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        // The arrow takes as much as a letter is high.
        const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - parseFloat(style.fontSize);
        if (pen.measureText(text).width > room + 1) faults.push(`"${text}" is cut: ${pen.measureText(text).width} of ${room}`);
    }
    for (const e of document.querySelectorAll('#receiver .row button')) {
        const range = document.createRange();
        range.selectNodeContents(e);
        const lines = new Set([...range.getClientRects()].map(r => Math.round(r.bottom))).size;
        if (e.checkVisibility() && lines > 3) faults.push(`"${e.textContent}" takes ${lines} lines`);
    }
    return faults"""


@test
def rows_stay_whole_at_800_pixels(p):
    page = p.page
    try:
        for language in ("en", "de", "it", "es"):
            speak(page, language)
            eventually("the bar's module", lambda: page.run("return !!document.getElementById('hunt')"))
            for width, height in ((800, 480), (800, 1280)):
                page.resize(width, height)
                faults = page.browser.execute_async_script(ROWS)
                assert not faults, (language, width, height, faults)
                page.show("receiver")
                eventually("settings and the battery", lambda: page.texts(".settings form") and " %" in page.texts(".signal .dim")[0])
                faults = page.run(RECEIVER_ROWS)
                assert not faults, (language, width, height, faults)
            # A proposal beside the names of the screens.
            page.ask("s.data.proposal = {frequency_mhz: 404.2, sonde_type: 'RS41', serial: 'V4210150'}")
            for width, height in Page.SIZES:
                page.resize(width, height)
                page.show("receiver")
                eventually("the proposal", lambda: page.run("return document.getElementById('offer').checkVisibility()"))
                faults = page.run(LAYOUT)
                assert not faults, (language, "proposal", width, height, faults)
            page.ask("s.data.proposal = {}")
    finally:
        page.ask("s.data.proposal = {}")
        page.resize(1024, 600)
        speak(page, "en")


@test
def numbers_are_written_as_in_the_language(p):
    """The decimal comma, the frequency, the time of day, and what a person types."""
    page = p.page
    try:
        speak(page, "de")
        seen = page.ask("return [u.text(u.distance(2340)), u.mhz(404.2), u.text(u.climb(-6.13)), u.frequency('404,2'), u.frequency('404.2'), w.whenText('2026-11-25T18:05:00Z')]")
        assert seen[:5] == ["2,3\u00a0km", "404,200", "−6,1\u00a0m/s", 404.2, 404.2], seen
        assert seen[5] is None or re.fullmatch(r"\d\d:\d\d", seen[5]), seen
    finally:
        speak(page, "en")


@test
def the_language_is_chosen_and_kept(p):
    """The browser's language, else the gateway's; chosen on the page, it stays."""
    page = p.page
    tongue = lambda: page.run("return document.documentElement.lang")

    def browsers(languages):
        agent = page.run("return navigator.userAgent")
        page.browser.execute_cdp_cmd("Network.enable", {})
        page.browser.execute_cdp_cmd("Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": languages})

    def say(language):
        request = urllib.request.Request(
            p.gateway.url + "api/command", json.dumps({"options": {"language": language}}).encode(),
            {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=10).read()

    try:
        browsers("fr-CH,en")
        speak(page, "")
        assert tongue() == "fr"
        page.show("map")
        page.run("document.getElementById('more').click()")
        page.run("""
            const list = document.querySelector('dialog select[aria-label="Langue"]');
            list.value = 'it';
            list.dispatchEvent(new Event('change'));""")
        eventually("Italian", lambda: tongue() == "it" and "In auto" in page.texts("#nav button"))
        page.browser.refresh()
        eventually("Italian still", lambda: tongue() == "it" and "In auto" in page.texts("#nav button"))
        # The browser has none of the page's languages: the gateway's, also when it changes.
        browsers("nl,cs")
        speak(page, "")
        assert tongue() == "en"
        say("de")
        eventually("German", lambda: tongue() == "de" and "Fahren" in page.texts("#nav button"))
        eventually("numbers", lambda: page.ask("return s.data.bridge_info?.language") == "de")
    finally:
        say(None)
        browsers("en-US,en")
        speak(page, "en")


@test
def a_newcomer_is_led_in_each_language(_):
    gateway = Gateway(RECEIVER_TRANSPORT="tcp", RECEIVER_HOST="127.0.0.1", RECEIVER_PORT=str(free_port()), program="run",
                      MQTT_HOST="127.0.0.1", MQTT_PORT=str(free_port()))
    page = Page(gateway)
    try:
        eventually("advice", lambda: page.run("const a = document.getElementById('newcomer'); return !a.hidden && a.textContent"))
        for language in LANGUAGES:
            page.run("localStorage.language = arguments[0]", language)
            page.browser.refresh()
            words, english = page.browser.execute_async_script("""
                const [language, done] = arguments;
                Promise.all([language, 'en'].map(name => fetch(`/languages/${name}.txt`).then(answer => answer.text())))
                    .then(files => done(files.map(file => file.match(/page.diagnosis.receiver_away = (.*)/)[1])))""", language)
            assert words != english, language
            eventually(words, lambda: words in page.texts("#newcomer")[0])
            found = [word for word in leaks(page) if not word.startswith(("mosquitto", "dashboard", "address", "gpsd"))]
            assert not found, (language, found)
            for width, height in Page.SIZES:
                page.resize(width, height)
                page.picture(f"{language}-newcomer-{width}x{height}")
    finally:
        page.close()
        gateway.stop()


# Puts each advice with its longest words on Drive, then the landing's bar on Map; tells what does not fit.
LONGEST = """
    const [done] = [arguments[arguments.length - 1]], at = id => document.getElementById(id), faults = [];
    const check = () => { """ + LAYOUT + """ };
    import("/shared/texts.js").then(({T}) => {
        const said = v => typeof v == 'function' ? v(...Array(v.length).fill('Villeneuve-sur-Lot')) : v;
        const near = T.near({distance: '12,5\\u00a0km', wind: T.windsOf.toSorted((a, b) => b.length - a.length)[0], name: 'Villeneuve-sur-Lot'});
        const kept = [at('word').textContent, at('why').textContent];
        for (const [name, advice] of [...Object.entries(T.advices), ['guess', T.probablyLanded]]) {
            at('word').textContent = said(advice) + (/landed|guess/.test(name) ? ' 14:20' : '');
            at('why').textContent = said(T.reasonsWhy[name]) ?? `${near} · ${T.byRoad('112\\u00a0km')} · ${T.thereIn('14:28')}`;
            faults.push(...check().map(fault => `${name}: ${fault}`));
        }
        [at('word').textContent, at('why').textContent] = kept;
        // However long it is who hears the sonde: the button beside it stays there.
        at('chip').lastElementChild.textContent = `${T.states.noTelemetry} · 10\u00a0min`;
        const [chip, take] = [at('chip'), at('take')].map(e => e.getBoundingClientRect());
        if (take.top > chip.bottom || chip.top > take.bottom) faults.push('the button lies below the chip');
        done(faults);
    }, fault => done([String(fault)]))"""

# What is cut, leaves its box or lies on its neighbour in the open dialog.
SHEET = """
    const d = document.querySelector('dialog'), faults = [], at = e => e.getBoundingClientRect();
    const shown = [...d.querySelectorAll('button, a, input, select, label, th, td, p, h2, h3')].filter(e => e.checkVisibility() && !e.matches('.close'));
    for (const e of shown) {
        const r = at(e);
        if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth && !e.matches('input, select')) faults.push(`${e.tagName} "${e.textContent.slice(0, 30)}" is cut`);
        if (r.left < 0 || r.right > innerWidth + 1) faults.push(`${e.tagName} "${e.textContent.slice(0, 30)}" leaves the screen`);
    }
    // A hint in an empty field is whole, too, in the sheet and on the screens.
    const pen = document.createElement('canvas').getContext('2d');
    for (const e of document.querySelectorAll('input[placeholder]')) {
        if (!e.placeholder || !e.checkVisibility()) continue;
        const s = getComputedStyle(e);
        pen.font = `${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
        if (pen.measureText(e.placeholder).width > e.clientWidth - 2 * parseFloat(s.paddingLeft) + 1) faults.push(`the hint "${e.placeholder}" is cut`);
    }
    shown.forEach((a, i) => shown.slice(i + 1).forEach(b => {
        const [r, o] = [at(a), at(b)];
        const isOver = r.left < o.right - 1 && o.left < r.right - 1 && r.top < o.bottom - 1 && o.top < r.bottom - 1;
        if (isOver && !a.contains(b) && !b.contains(a)) faults.push(`"${a.textContent.slice(0, 20)}" lies on "${b.textContent.slice(0, 20)}"`);
    }));
    return faults"""


@test
def the_longest_texts_fit_a_phone(p):
    """Each advice with the longest town and direction, and each sheet, in each language: nothing is cut or lies on another."""
    page = p.page
    try:
        for language in (*LANGUAGES, "en"):
            speak(page, language)
            for width, height in ((390, 844), (800, 480)):
                page.resize(width, height)
                page.show("drive")
                page.settle()
                faults = page.browser.execute_async_script(LONGEST)
                assert not faults, (language, width, faults[:5])
                page.show("map")
                for opener in ("layers", "more", "strip", "take"):
                    page.run("document.getElementById(arguments[0]).click()", opener)
                    eventually("a sheet", lambda: page.texts("dialog h2"))
                    faults = page.run(SHEET)
                    page.picture(f"{language}-sheet-{opener}-{width}")
                    page.run("document.querySelector('dialog').close()")
                    eventually("closed", lambda: not page.texts("dialog"))
                    assert not faults, (language, width, opener, faults[:5])
                # The crew's field for a note, which has a hint.
                page.ask("""const {state, bridge_info} = window.begun = {...s.data}; s.data.state = {...state, phase: 'landed'};
                    s.data.bridge_info = {...bridge_info, configuration: {...bridge_info.configuration, 'sondehub.enabled': 'true', 'sondehub.callsign': "'HB9ABC'"}}; tell('recovery', {})""")
                page.show("crew")
                eventually("the note", lambda: page.run("return document.querySelector('#crew input[placeholder]')?.checkVisibility()"))
                page.show("drive")
                page.show("crew")
                page.run("document.body.append(document.createElement('dialog'))")
                faults = page.run(SHEET)
                page.run("document.querySelector('dialog').remove()")
                assert not faults, (language, width, "crew", faults)
                # Landed, far below: long directions and heights.
                page.show("drive")
                faults = page.browser.execute_async_script("""
                    const done = arguments[0];
                    Promise.all(['shared/stream', 'drive/drive'].map(n => import(`/${n}.js`))).then(([s, d]) => {
                        const {chase, landing} = s.data, found = [];
                        s.data.landing = {...landing, source: 'observed'};
                        for (let octant = 0; octant < 8; octant++) {
                            const sight = {...chase.landing, distance_m: 1830, relative_bearing_deg: octant * 45};
                            s.data.chase = {...chase, car: {...chase.car, altitude_m: 1990}, sonde: sight, landing: sight};
                            d.drawDrive();
                            found.push(...(() => {""" + LAYOUT + """})());
                        }
                        done(found);
                    }, fault => done([String(fault)]))""")
                page.picture(f"{language}-landed-{width}")
                page.ask("Object.assign(s.data, begun); delete s.data.recovery")
                assert not faults, (language, width, "landed", faults[:5])
    finally:
        page.resize(1024, 600)
        speak(page, "en")
