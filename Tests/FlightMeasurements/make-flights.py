#!/usr/bin/env python3
"""Makes flights that nobody tuned anything on, in the form that Tests/measure-flights.sh reads:
  make-flights.py FOLDER [COUNT [SEED]]

Each has winds of its own, which change with height, time and place; a burst, or a float before it; a fall under a big parachute
(hab_…) or a radiosonde's (rs41_…), some slow, some without a parachute; and a receiver that hears it every 1 to 30 s, with gaps.
It shares nothing with Sources/ReceiverSimulator. The same seed gives the same flights. expected.csv has the true landings."""
import csv
import math
import pathlib
import random
import sys

METRES_OF_DEGREE = 111_195
MOMENTS = ([f"up{k}" for k in (5, 10, 15, 20, 25)], [f"dn{k}" for k in (20, 10, 5, 2, 1)])


def density_root(metres):
    """The root of the air's density over that at sea level (ICAO)."""
    if metres < 11_000:
        return (1 - 2.25577e-5 * metres) ** 2.128
    if metres < 20_000:
        return 0.545 * math.exp(-(metres - 11_000) / 12_683)
    return 0.268 * (1 + (metres - 20_000) / 216_650) ** -17.58


class Winds:
    """East and north, m/s: a jet, the stratosphere's wind, and eddies of a kilometre; they turn into others within hours."""

    def __init__(self, chance):
        self.jet = [self.vector(chance, chance.lognormvariate(3.1, 0.5)) for _ in range(2)]
        self.high = [self.vector(chance, chance.uniform(2, 18)) for _ in range(2)]
        self.middle, self.width = chance.uniform(9500, 12_500), chance.uniform(3500, 6000)
        # The later winds are the first ones, and a little of others.
        self.change = chance.uniform(0.05, 0.25)
        self.eddies = [self.walk(chance, chance.uniform(1, 3.5)) for _ in range(2)]

    @staticmethod
    def vector(chance, speed):
        angle = chance.uniform(0, 2 * math.pi)
        return speed * math.cos(angle), speed * math.sin(angle)

    @staticmethod
    def walk(chance, size):
        values, keep = [(0.0, 0.0)], math.exp(-250 / 1200)
        for _ in range(200):
            fresh = size * math.sqrt(1 - keep * keep)
            values.append(tuple(keep * v + fresh * chance.gauss(0, 1) for v in values[-1]))
        return values

    def at(self, metres, hours):
        share = math.exp(-(((metres - self.middle) / self.width) ** 2))
        above = min(1, max(0, (metres - 15_000) / 12_000))
        layer = min(199, max(0, int(metres / 250)))
        part = metres / 250 - layer
        wind = []
        for axis in (0, 1):
            eddy = [e[layer][axis] + (e[layer + 1][axis] - e[layer][axis]) * part for e in self.eddies]
            both = [self.jet[k][axis] * (0.15 + 0.85 * share) + self.high[k][axis] * above + eddy[k] for k in (0, 1)]
            wind.append(both[0] + (both[1] - both[0]) * self.change * hours)
        return wind


def fly(chance, is_big):
    """The flight second by second: (seconds, latitude, longitude, metres); and the second of the top."""
    winds = Winds(chance)
    launch, ground = chance.uniform(50, 1400), None
    ground = max(0, launch + chance.gauss(0, 200))
    rise = chance.uniform(3.5, 6.5)
    burst = chance.uniform(12_000, 20_000) if chance.random() < 0.12 else chance.uniform(22_000, 35_000)
    float_seconds = chance.uniform(900, 3600) if chance.random() < 0.1 else 0
    rate = chance.lognormvariate(math.log(4.7), 0.22) if is_big else chance.lognormvariate(math.log(6.7), 0.4)
    growth = 0 if is_big else chance.uniform(0, 0.4)
    thin = chance.uniform(0, 0.24) if is_big else 0
    kind = chance.random()
    rate *= 0.45 if kind < 0.08 else 2.2 if kind > 0.94 else 1
    second, latitude, longitude, metres = 0, chance.uniform(-55, 65), chance.uniform(-180, 180), launch
    points, top, fallen = [(0, latitude, longitude, metres)], None, 0
    while True:
        second += 1
        if top is None and metres < burst:
            climb = rise * (1 + 0.04 * math.sin(second / 60))
        elif top is None and float_seconds > 0:
            float_seconds -= 1
            climb = 0.8 * math.sin(second / 90)
        else:
            top = top or second - 1
            fallen += 1
            excess = 1 + thin * min(1, max(0, (metres - 13_000) / 10_000))
            climb = -rate * excess * math.exp(growth * (12_000 - metres) / 10_000) / density_root(metres)
            climb = max(-75, climb) * (1 - math.exp(-fallen / 8))
        east, north = winds.at(metres, second / 3600)
        latitude += north / METRES_OF_DEGREE
        longitude += east / METRES_OF_DEGREE / math.cos(math.radians(latitude))
        metres += climb
        if top is not None and metres <= ground:
            return points + [(second, latitude, longitude, ground)], top
        points.append((second, latitude, longitude, metres))


def heard(chance, points):
    """What a receiver hears of it, with a GPS's noise."""
    spacing = chance.choice([1, 2, 5, 10, 15, 20, 30])
    gaps = [(start, start + chance.uniform(40, 300)) for start in (chance.uniform(600, points[-1][0] - 400) for _ in range(3))]
    for point in points[::spacing] + points[-1:]:
        if point is points[-1] or not any(begin <= point[0] < end for begin, end in gaps):
            second, latitude, longitude, metres = point
            yield (second, latitude + chance.gauss(0, 3) / METRES_OF_DEGREE, longitude + chance.gauss(0, 3) / 80_000,
                   metres + chance.gauss(0, 4))


def moments(points, top):
    """The names and seconds of the moments at which the prediction is judged."""
    end = points[-1]
    for name in MOMENTS[0]:
        yield name, next((p[0] for p in points[:top] if p[3] >= int(name[2:]) * 1000), None)
    yield "burst", top + 20
    for name in MOMENTS[1]:
        yield name, next((p[0] for p in points[top:] if p[3] <= end[3] + int(name[2:]) * 1000), None)


def main(folder, count=60, seed=1):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(int(count)):
        chance = random.Random(f"{seed} {number}")
        is_big = number % 5 > 1
        name = f"{'hab' if is_big else 'rs41'}_{number:03}"
        begin = 1_700_000_000 + number * 40 * 86_400
        points, top = fly(chance, is_big)
        with open(folder / f"{name}.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["t_unix", "lat", "lon", "alt"])
            table.writerows((begin + s, f"{a:.6f}", f"{o:.6f}", f"{m:.1f}") for s, a, o, m in heard(chance, points))
        truth = points[-1]
        for moment, second in moments(points, top):
            if second is not None and second < truth[0]:
                rows.append([name, moment, begin + second, 4.8 if is_big else 6, 0 if is_big else 0.2, 29_000 if is_big else 33_000,
                             f"{truth[1]:.6f}", f"{truth[2]:.6f}", begin + truth[0]])
    with open(folder / "expected.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow("flight moment t_unix cfg_v0 cfg_growth cfg_burst true_lat true_lon true_t".split())
        table.writerows(rows)


main(*sys.argv[1:])
