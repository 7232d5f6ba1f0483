"""Tests of what all flights tell together: how far the receiver hears, and the logbook. They share a gateway and a
browser. The gateway's answers are in the page's hands here; its own are asked for once."""
import json

from access import contrasts
from rig import eventually
from shared import LAYOUT
from suite import test

NAMES = "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW".split()


def direction(number, name):
    """North hears to the last band, each further direction one band less; from the sixth on nothing."""
    count = max(0, 6 - number)
    return {
        "name": name, "bearing_deg": number * 22.5, "heard": 100 * count, "horizon_deg": number / 4 - 1,
        "farthest_m": [None, 9000, 24000, 49000, 99000, 180000, 240000][count],
        "cells": [{"samples": 100, "mean_rssi_dbm": -75.2 - 10 * band} if band < count else None for band in range(6)]}


COVERAGE = {"samples": 2100, "bands_km": [10, 25, 50, 100, 200],
            "directions": [direction(number, name) for number, name in enumerate(NAMES)]}


def mark(time, altitude):
    return {"latitude": 46.8, "longitude": 6.9, "altitude_m": altitude, "time": time}


FLIGHT = {
    "serial": "V4210150", "sonde_type": "RS41", "first_at": "2026-11-22T11:00:00.000Z", "highest_m": 33000.4,
    "last": mark("2026-11-22T13:20:00.000Z", 431), "launch": mark("2026-11-22T11:00:00.000Z", 490),
    "burst": mark("2026-11-22T12:45:00.000Z", 33000.4), "landing": mark("2026-11-22T13:19:00.000Z", 431),
    "drive": {"from": "2026-11-22T12:10:00.000Z", "to": "2026-11-22T13:52:00.000Z", "driven_m": 61234.5},
    "arrived_at": "2026-11-22T13:41:00.000Z", "receiver": {"firmware": "2.30", "restarts": 2, "losses": 0},
    "recovery": "recovered HB9XYZ", "note": "In a spruce."}
BARE = {"serial": "T1420388", "sonde_type": None, "first_at": "2026-11-21T23:00:00.000Z", "highest_m": 30000,
        "last": mark("2026-11-22T01:00:00.000Z", 6100), "launch": None, "burst": None, "landing": None, "drive": None,
        "arrived_at": None, "recovery": None, "note": None}


def crew_with(p, answers):
    """Opens the page anew on Crew. It gets these answers, by their paths; `asked` counts them."""
    page = p.page
    page.browser.refresh()
    eventually("the cards", lambda: page.run("return document.querySelectorAll('#crew .record').length") == 2)
    page.run("""
        window.asked = {};
        const real = window.fetch, answers = arguments[0];
        window.answered ??= real;
        window.fetch = (path, ...rest) => {
            if (!(path in answers)) return real(path, ...rest);
            asked[path] = (asked[path] ?? 0) + 1;
            return Promise.resolve(new Response(JSON.stringify(answers[path]), {headers: {'Content-Type': 'application/json'}}));
        };""", answers)
    page.show("crew")
    return page


def unfold(page, title):
    page.run("[...document.querySelectorAll('#crew .record')].find(d => d.querySelector('h2').textContent == arguments[0]).open = true", title)


def looks_right(page, selector, name):
    """By day and night and on each size nothing is cut, small or pale."""
    for time in page.by_day_and_night():
        for size in ((360, 740), (800, 480), (1280, 800), (1920, 1080)):
            page.resize(*size)
            page.run("document.querySelector(arguments[0]).scrollIntoView()", selector)
            page.settle()
            faults = page.run(LAYOUT)
            assert not faults, (time, size, faults)
            count, low = contrasts(page, "#crew .record *", 4.5)
            assert count and not low, (time, size, low)
            page.picture(f"{name}-{time}-{size[0]}")
    page.resize(1024, 600)


@test
def the_crew_sees_how_far_the_receiver_hears(p):
    """Folded away the card asks nothing. Open, it shows a field for each direction and distance, and says its figures."""
    page = crew_with(p, {"api/coverage": COVERAGE})
    assert page.run("return asked['api/coverage'] ?? 0") == 0
    unfold(page, "How far the receiver hears")
    eventually("the plot", lambda: page.run("return document.querySelectorAll('.polar .cell').length") == 21)
    assert page.texts(".record .farthest") == ["Farthest: 240\u00a0km · north"]
    assert "Measurements: 2\u202f100" in page.texts(".record p")
    assert "Highest horizon: 2.8°\u00a0high · NNW" in page.texts(".record p"), page.texts(".record p")
    # The weakest field has another shade than the strongest, and the legend has both.
    shades = page.run("""return ['.polar .l4', '.polar .l0', '.levels .l4', '.levels .l0'].map(one => getComputedStyle(document.querySelector(one)).fillOpacity)""")
    assert shades[0] == shades[2] == "1" and float(shades[1]) < 0.2 and shades[1] == shades[3], shades
    assert len(page.texts(".levels li")) == 5
    # A touch on the field in the north, beyond the last band.
    page.run("""
        const cell = document.querySelector('.polar [data-direction="0"][data-band="5"]');
        cell.dispatchEvent(new MouseEvent('click', {bubbles: true}));""")
    eventually("its figures", lambda: page.texts(".record [role=status]") == [
        "north · >\u202f200\u00a0km · −125\u00a0dBm · Measurements: 100"])
    # All figures, for whoever can't see the plot.
    page.run("document.querySelector('.record .figures').open = true")
    rows = page.run("return [...document.querySelectorAll('.figures tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    assert len(rows) == 16 and rows[0][:4] == ["north", "600", "−75", "−85"], rows[0]
    assert rows[15] == ["NNW", "0", "–", "–", "–", "–", "–", "–", "–", "2.8°"], rows[15]
    looks_right(page, ".polar", "coverage")
    # The page's units.
    page.run("localStorage.units = 'imperial'")
    eventually("miles", lambda: page.texts(".record .farthest") == ["Farthest: 149\u00a0mi · north"])
    page.run("delete localStorage.units")
    assert page.run("return asked['api/coverage']") >= 1
    # The gateway's own answer has the same form.
    told = json.loads(p.gateway.get("api/coverage"))
    assert [one["name"] for one in told["directions"]] == NAMES, told
    assert all(len(one["cells"]) == len(told["bands_km"]) + 1 for one in told["directions"]), told


@test
def nothing_heard_is_a_sentence(p):
    """Before anything was heard there is no empty plot."""
    silent = [{**one, "heard": 0, "farthest_m": None, "cells": [None] * 6} for one in COVERAGE["directions"]]
    page = crew_with(p, {"api/coverage": {**COVERAGE, "samples": 0, "directions": silent}, "api/logbook": {"flights": []}})
    unfold(page, "How far the receiver hears")
    unfold(page, "Logbook")
    eventually("sentences", lambda: page.texts(".record p") == [
        "Nothing was heard from a known place yet.", "No flight is recorded yet."])
    assert page.run("return document.querySelector('.polar')") is None


@test
def the_crew_reads_the_logbook(p):
    """A row for each flight, which opens; what nobody knows is left out, and an open row stays open. If the gateway could not
    read all, a sentence says so."""
    page = crew_with(p, {"api/logbook": {"damaged": True, "flights": [FLIGHT, BARE]}})
    assert page.run("return asked['api/logbook'] ?? 0") == 0
    unfold(page, "Logbook")
    heads = lambda: page.texts(".logged summary")
    eventually("two flights", lambda: len(heads()) == 2)
    assert [text.startswith("Part of the flights can") for text in page.texts(".record p")] == [True]
    assert "V4210150 · RS41" in heads()[0] and heads()[0].endswith("Recovered"), heads()
    assert "T1420388" in heads()[1] and "null" not in heads()[1], heads()
    names = lambda: page.run("return [...document.querySelectorAll('.logged details')].map(d => [...d.querySelectorAll('th')].map(e => e.textContent))")
    # While nobody has set the machine's clock no time of day is shown, and so no arrival.
    known = [[name for name in flight if name != "At the place"] for flight in names()]
    assert known == [["Launch", "Burst", "Landing", "Highest", "Drive", "Receiver", "Recovery", "Note"],
                     ["Last heard", "Highest"]], names()
    assert "490\u00a0m" in page.texts(".logged td")[0], page.texts(".logged td")
    page.run("document.querySelector('.logged details').open = true")
    looks_right(page, ".logged", "logbook")
    page.run("localStorage.units = 'imperial'")
    eventually("feet", lambda: "1\u202f608\u00a0ft" in page.texts(".logged td")[0])
    assert page.run("return document.querySelector('.logged details').open")
    page.run("delete localStorage.units")
    # The gateway's own answer has the same form.
    book = json.loads(p.gateway.get("api/logbook"))
    told = book["flights"]
    assert told and set(FLIGHT) <= set(told[0]) and book["damaged"] is False, book
