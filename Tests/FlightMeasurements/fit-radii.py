#!/usr/bin/env python3
"""Fits the radii of an ascent under known winds, and prints how many landings all radii hold.

    FlightMeasurements --radii FOLDER | fit-radii.py

If the winds are known, only the errors of burst altitude and descent rate remain. They are a + b * minutes above the
present height, for the 50 % and the 90 % radius each. The constants belong in RadiusFormula.swift.

Few recorded flights have another one of the same half day. So the errors at each height are averaged with errors that
were measured on other flights (`ELSEWHERE`), weighted by the numbers of flights. Fewer than five flights of our own are
not used. "Held out" leaves out the flight that is judged.
"""
import csv
import math
import sys

# Another flight's winds of at most 12 h: median and 90th percentile of the error in km, by height, measured with another
# program on 25 to 35 balloons and 8 to 11 radiosondes. They count as ten flights.
ELSEWHERE_FLIGHTS = 10
FEWEST = 5
ELSEWHERE = {
    "HAB": {5: (13, 53), 10: (10, 29), 15: (7.3, 24), 20: (7.1, 19), 25: (5.6, 14)},
    "RS": {5: (34, 51), 10: (25, 48), 15: (18, 31), 20: (13, 25), 25: (16, 26)},
}
UP = {5: (4, 7), 10: (8, 12), 15: (13, 17), 20: (18, 22), 25: (23, 30)}
DOWN = {20: (18, 22), 10: (8, 12), 5: (4, 7), 2: (2, 3), 1: (1, 1)}
# Winds with at least this weight count as fresh.
FRESH = 0.8
QUANTILES = (0.5, 0.9)


def quantile(rows, share):
    """The error below which this share of the rows lies; each flight weighs the same."""
    count = {}
    for row in rows:
        count[row["flight"]] = count.get(row["flight"], 0) + 1
    total, below = len(count), 0.0
    for row in sorted(rows, key=lambda row: row["error_km"]):
        below += 1 / count[row["flight"]]
        if below >= share * total:
            return row["error_km"]
    return math.nan


def mean(rows, column):
    return sum(row[column] for row in rows) / len(rows)


def band(rows, low, high):
    return [row for row in rows if low <= row["height"] <= high]


def fit(rows, kind):
    """Returns (a, b) for both radii."""
    others, table, result = ELSEWHERE_FLIGHTS, ELSEWHERE[kind], []
    count = len({row["flight"] for row in rows})
    for index, share in enumerate(QUANTILES):
        targets = []
        for height, (low, high) in UP.items():
            here = band(rows, low, high)
            if not here:
                continue
            flights = len({row["flight"] for row in here}) if count >= FEWEST else 0
            elsewhere = math.log(table[height][index])
            target = (flights * math.log(quantile(here, share)) + others * elsewhere) / (flights + others)
            alone = mean(here, ("alone50_km", "alone90_km")[index])
            targets.append((target, alone, mean(here, "certainty"), mean(here, "minutes")))
        best = min(
            (
                sum((math.log((1 - known) * alone + known * (a / 2 + b / 100 * minutes)) - target) ** 2
                    for target, alone, known, minutes in targets),
                a / 2, b / 100,
            )
            for a in range(2, 81)
            for b in range(0, 61)
        )
        result.append(best[1:])
    return result


def radii(row, constants):
    return [
        (1 - row["certainty"]) * row[column] + row["certainty"] * (a + b * row["minutes"])
        for column, (a, b) in zip(("alone50_km", "alone90_km"), constants)
    ]


def held(rows, radii_of):
    """The shares of the landings inside both radii, in per cent; each flight weighs the same."""
    flights = {}
    for row in rows:
        flights.setdefault(row["flight"], []).append([row["error_km"] <= radius for radius in radii_of(row)])
    if not flights:
        return "-"
    shares = [100 * sum(sum(x[i] for x in one) / len(one) for one in flights.values()) / len(flights) for i in (0, 1)]
    return f"{shares[0]:.0f}/{shares[1]:.0f}"


def table(title, rows, bands, prefix, *columns):
    print(title)
    for height, (low, high) in bands.items():
        here = band(rows, low, high)
        if here:
            flights = len({row["flight"] for row in here})
            error = f"{quantile(here, 0.5):.1f}/{quantile(here, 0.9):.1f}"
            texts = [f"{name} {held(here, radii_of)}" for name, radii_of in columns]
            print(f"  {prefix}{height:<3} {flights:3} flights  error {error:10} km  inside R50/R90 %: " + ", ".join(texts))


def as_built(row):
    return row["r50_km"], row["r90_km"]


def main():
    rows = list(csv.DictReader(sys.stdin))
    for row in rows:
        row.update({name: float(row[name]) for name in row if name not in ("class", "flight", "moment")})
        row["height"] = int(row["moment"][2:])
    up = [row for row in rows if row["moment"].startswith("up")]
    down = [row for row in rows if row["moment"].startswith("dn")]
    for kind in ("RS", "HAB"):
        mine = [row for row in up if row["class"] == kind]
        fresh = [row for row in mine if row["weight"] >= FRESH]
        constants = fit(fresh, kind)
        without = {name: fit([row for row in fresh if row["flight"] != name], kind)
                   for name in {row["flight"] for row in fresh}}
        for share, (a, b) in zip(QUANTILES, constants):
            print(f"{kind}: R{share * 100:.0f} under known winds = {a:.1f} + {b:.2f} * minutes above")
        table(f"{kind}, winds of at most a day", fresh, UP, "up",
              ("as built", as_built), ("fitted", lambda row: radii(row, constants)),
              ("held out", lambda row: radii(row, without[row["flight"]])))
        table(f"{kind}, older winds", [row for row in mine if 0 < row["weight"] < FRESH], UP, "up", ("as built", as_built),
              ("fitted", lambda row: radii(row, constants)))
        table(f"{kind}, no other winds", [row for row in mine if not row["weight"]], UP, "up", ("as built", as_built))
        table(f"{kind}, descent", [row for row in down if row["class"] == kind], DOWN, "dn", ("as built", as_built))


main()
