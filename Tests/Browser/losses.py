"""Tests of the page during losses. They run in this order, after the other tests that share a gateway."""
import os
import re
import signal
import subprocess

from rig import Page, eventually
from suite import test


def check_nothing_is_cut(page, message):
    """Checks that a message at the top lies on nothing, and that what is below it is whole, at each size."""
    for width, height in Page.SIZES:
        page.resize(width, height)
        for screen in ("drive", "map", "crew", "receiver"):
            page.show(screen)
            page.settle()
            page.picture(f"{message}-{screen}-{width}x{height}")
            faults = page.run("""
                const end = Math.max(...['lost', 'banner'].map(id => document.getElementById(id).getBoundingClientRect().bottom)) - 1;
                const boxes = [...document.querySelectorAll('main > section, #arrow, #numbers .top, #numbers .number, #small, #strip, nav button')];
                const cut = e => { const r = e.getBoundingClientRect(); return r.top < end || r.bottom > innerHeight + 1 || r.right > innerWidth + 1; };
                const lines = [...document.querySelectorAll('#numbers .line')].map(e => e.getBoundingClientRect());
                return [...(document.getElementById(arguments[0]).checkVisibility() ? [] : ['hidden']), ...boxes.filter(e => e.checkVisibility() && !e.matches('.unseen') && cut(e)).map(e => e.id || e.className || e.textContent),
                    ...lines.filter((r, i) => lines.some((o, k) => k < i && r.top < o.bottom - 1 && o.top < r.bottom - 1 && r.left < o.right - 1 && o.left < r.right - 1)).map(r => `a line at ${r.top} lies on another`)]""", message)
            assert not faults, (message, screen, width, height, faults)
    page.show("drive")
    page.resize(1024, 600)


@test
def the_page_works_without_a_broker(p):
    """The broker dies; the page goes on."""
    p.page.watch()
    pattern = f"sondygo2mqtt-{p.gateway.process.pid}/mosquitto.conf"
    for pid in subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True).stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    before = p.page.ask("return s.position().time")
    eventually("the next position", lambda: p.page.ask("return s.position().time") != before)
    assert p.page.border() == "green" and not p.page.is_lost() and not p.page.lies()


@test
def the_page_recovers_from_a_lost_network(p):
    """The tablet leaves the Wi-Fi and comes back."""
    def network(is_on):
        p.page.browser.execute_cdp_cmd("Network.enable", {})
        p.page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": not is_on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    network(False)
    # Chromium's offline mode keeps open connections alive: the event makes the page open its stream anew, as after a
    # real loss.
    p.page.run("document.dispatchEvent(new Event('visibilitychange'))")
    eventually("striped", p.page.is_lost, 12)
    network(True)
    eventually("live again", lambda: not p.page.is_lost() and p.page.border() == "green")


@test
def a_stream_that_opens_and_stalls_takes_nothing_away(p):
    """The last values stay, with their ages, until the new stream has brought its snapshot."""
    seen = p.page.ask("""
        const mute = new EventTarget(), known = () => [!!s.position(), !!s.chase(), !!s.data.alive];
        const say = (kind, report) => mute.dispatchEvent(new MessageEvent(kind, {data: JSON.stringify(report)}));
        mute.close = () => {};
        const {alive, state} = s.data, begun = known();
        s.useSource(() => mute);
        mute.onopen();
        say('topics', ['alive', 'state']);
        say('alive', alive);
        const stalled = known();
        say('state', state);
        const anew = known();
        s.useSource(() => new EventSource('/api/events'));
        return [begun, stalled, anew]""")
    assert seen == [[True, True, True], [True, True, True], [False, False, True]], seen
    eventually("live again", lambda: p.page.ask("return !!s.position() && !!s.chase()") and p.page.border() == "green")


@test
def drive_without_a_car_shows_other_numbers(p):
    """Without a GPS the page shows other numbers; the landing point's coordinates stand where the arrow was."""
    p.page.show("drive")
    p.car.is_silent = True
    eventually("no car", lambda: p.page.run("return document.getElementById('drive').dataset.target") == "none")
    ids = p.page.run("return [...document.querySelectorAll('#numbers .line')].map(l => l.dataset.id)")
    assert ids == ["altitude", "landing_in", "vertical"], ids
    assert re.search(r"landing point.*\d+\.\d{5}, \d+\.\d{5}$", p.page.texts("#where")[0]), p.page.texts("#where")
    p.page.picture("drive-without-car")
    p.car.is_silent = False
    eventually("the car again", lambda: p.page.run("return document.getElementById('drive').dataset.target") == "landing")


@test
def the_track_is_above_the_circles(p):
    """The track is drawn above the circles, also after the circles were drawn again."""
    p.page.show("map")
    eventually("the track on top of the circles", lambda: p.page.browser.execute_async_script("""
        const done = arguments[0];
        import('/map/layers.js').then(({layers}) => {
            const order = [], first = Object.values(layers).flatMap(l => l.getLayers()).find(l => l._renderer)?._renderer._drawFirst;
            for (let o = first; o; o = o.next) order.push(o.layer);
            const circles = [layers.error, layers.sight].flatMap(l => l.getLayers()), lines = order.filter(l => L.Polyline.prototype.isPrototypeOf(l) && !circles.includes(l));
            done(circles.length > 1 && lines.length > 1 && Math.max(...circles.map(c => order.indexOf(c))) < Math.min(...lines.map(l => order.indexOf(l))));
        });"""))


@test
def the_ring_follows_the_ground(p):
    """Where the gateway knows the heights of the ground, its ring replaces the circle of the radio range."""
    p.page.show("map")

    def drawn(horizon):
        return p.page.browser.execute_async_script("""
        const done = arguments[0];
        Promise.all([import('/map/layers.js'), import('/shared/stream.js')]).then(([{layers}, {data}]) => {
            data.horizon = %s;
            const drawn = layers.sight.getLayers()[0];
            done(drawn instanceof L.Polyline ? drawn.getLatLngs().length : 'none');
        });""" % horizon)

    ring = "{ring: [[47, 8], [47.1, 8], [47, 8.1]], computed_at: 'now'}"
    eventually("the ring", lambda: drawn(ring) == 4)
    eventually("the circle again", lambda: drawn("{}") == 361)


@test
def following_resumes_after_a_touch(p):
    """A touch stops the map from following. Half a minute later it follows again."""
    p.page.show("map")
    p.page.press("m", "\ue012")
    assert p.page.run("return document.body.dataset.follow") == "free"
    p.page.skew(20)
    eventually("live", lambda: not p.page.is_lost())
    assert p.page.run("return document.body.dataset.follow") == "free"
    p.page.skew(11)
    eventually("following", lambda: p.page.run("return document.body.dataset.follow") != "free")
    eventually("live", lambda: not p.page.is_lost())


@test
def the_receiver_screen_reports_the_broker(p):
    """What fails comes first, as a state and with what to do. The gateway asks its broker at most every 20 s."""
    p.page.show("receiver")
    eventually("the outage", lambda: "Is mosquitto running?" in p.page.texts("#connections li")[0] or "Is mosquitto running?" in p.page.texts("#connections li")[1], 60)
    # The state since when (or for how long, on a machine whose clock is not set), how much waits, and what to do. The
    # gateway tells it every 30 s.
    told = re.compile(r"not connected (since \d\d:\d\d|for .+), \d+ messages? waits?: .+ Is mosquitto running\?")
    eventually("since when", lambda: any(told.search(text) for text in p.page.texts("#connections li")), 60)
    for clock, words in ((True, "not connected since"), (False, "not connected for 2 min, 7 messages wait: ")):
        # The gateway speaks in between.
        script = (f"tell('alive', {{...s.data.alive, clock_synced: {str(clock).lower()}}});"
                  "tell('health', {...s.data.health, queue_depth: 3, spool: {...s.data.health.spool, depth: 4},"
                  "broker: {...s.data.health.broker, away_s: 125}})")
        eventually(words, lambda: p.page.ask(script) or any(words in text for text in p.page.texts("#connections li")))
    # SondeHub is off, the broker is dead: nothing that works stands above them.
    marks = p.page.run("return [...document.querySelectorAll('#connections li > span')].map(e => e.className)")
    assert marks == sorted(marks) and "outages" not in p.page.run("return document.getElementById('receiver').textContent"), marks


@test
def a_stopped_or_killed_gateway_is_noticed(p):
    """A stopped process closes no socket; the page notices it. A restarted one is shown live again."""
    # The worst case: the disk has failed before.
    p.page.ask("tell('event', {at: '2026-11-26T05:00:00.000Z', event: 'store_failed', text: 'Recording has stopped, live data goes on. The store reports: disk I/O error.'})")
    check_nothing_is_cut(p.page, "banner")
    p.page.watch()
    p.gateway.kill(signal.SIGSTOP)
    eventually("striped", p.page.is_lost, 9)
    assert "No connection to the gateway" in p.page.texts("#lost")[0]
    assert p.page.border() == "red"
    check_nothing_is_cut(p.page, "lost")
    p.page.run("document.querySelector('#banner button').click()")
    assert p.page.run("return document.getElementById('banner').hidden")
    eventually("grey and with their age", lambda: p.page.run(
        "return document.querySelectorAll('#numbers .old .age:not(:empty)').length"), 15)
    assert not p.page.lies(), p.page.lies()
    p.gateway.kill(signal.SIGCONT)
    eventually("live again", lambda: not p.page.is_lost() and p.page.border() == "green")
    p.gateway.kill()
    eventually("striped", p.page.is_lost, 9)
    p.gateway.start()
    eventually("live again", lambda: not p.page.is_lost() and p.page.border() == "green")
    # The watch starts only here: while the process was stopped, the simulated flight's clock stood still, too.
    p.page.watch()
    before = p.page.ask("return s.position().time")
    eventually("the next position", lambda: p.page.ask("return s.position().time") != before)
    assert not p.page.lies(), p.page.lies()


@test
def the_console_is_clean(p):
    # While the gateway is away, only the browser complains.
    said = [c for c in p.page.complaints() if "net::ERR_" not in c]
    assert not said, said[:5]
