#!/usr/bin/env python3
"""Writes pairs.csv: 1000 pairs of places with the WGS84 geodesic between them, by C. F. F. Karney's geographiclib
(python3 -m pip install geographiclib). A third are all over the Earth, a third as far apart as a chase, a third as near
as two frames; the last forty lie at poles, on the date line or nearly opposite one another."""
import math
import random

from geographiclib.geodesic import Geodesic

random.seed(12)


def place():
    return math.degrees(math.asin(random.uniform(-1, 1))), random.uniform(-180, 180)


def special(index):
    latitude, longitude = place()
    kind = index % 4
    if kind == 0:
        return (89.9 * random.choice((-1, 1)), longitude), (89.8, random.uniform(-180, 180))
    if kind == 1:
        return (latitude, 179.99), (latitude + random.uniform(-0.3, 0.3) if abs(latitude) < 89 else 0, -179.99)
    if kind == 2:
        opposite = (longitude + 360) % 360 - 180
        return (latitude, longitude), (-latitude + random.uniform(-0.3, 0.3), opposite + random.uniform(-0.3, 0.3))
    return (0.0, longitude), (random.uniform(-0.2, 0.2), (longitude + 360) % 360 - 180 + random.uniform(-0.5, 0.5))


def pair(index):
    if index >= 960:
        return special(index)
    start = place()
    if index % 3 == 0:
        return start, place()
    metres = random.uniform(1000, 400_000) if index % 3 == 1 else random.uniform(5, 1000)
    end = Geodesic.WGS84.Direct(*start, random.uniform(-180, 180), metres)
    return start, (end["lat2"], end["lon2"])


with open("pairs.csv", "w") as file:
    file.write("lat1,lon1,lat2,lon2,metres,bearing\n")
    for index in range(1000):
        (a, b), (c, d) = [(round(x, 7), round(y, 7)) for x, y in pair(index)]
        way = Geodesic.WGS84.Inverse(max(-90, min(90, a)), b, max(-90, min(90, c)), d)
        file.write(f"{way['lat1']},{b},{way['lat2']},{d},{way['s12']:.3f},{way['azi1'] % 360:.5f}\n")
