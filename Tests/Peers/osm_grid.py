#!/usr/bin/env python3
"""A made-up road network for route servers, 21 by 21 crossings half a kilometre apart, as OSM XML:
osm_grid.py LATITUDE LONGITUDE > grid.osm"""
import sys

SIZE = 21
STEP = 0.005
latitude, longitude = float(sys.argv[1]), float(sys.argv[2])
nodes, ways = [], []


def node(row, column):
    return 1 + row * SIZE + column


def way(kind, name, places):
    references = "".join(f'<nd ref="{place}"/>' for place in places)
    ways.append(
        f'<way id="{len(ways) + 1}" version="1">{references}<tag k="highway" v="{kind}"/><tag k="name" v="{name}"/></way>')


for row in range(SIZE):
    for column in range(SIZE):
        nodes.append(
            f'<node id="{node(row, column)}" version="1" lat="{latitude + row * STEP:.6f}" '
            f'lon="{longitude + column * STEP * 1.45:.6f}"/>')
for index in range(SIZE):
    kind = "primary" if index % 10 == 0 else "residential"
    way(kind, f"East {index}", [node(index, column) for column in range(SIZE)])
    way(kind, f"North {index}", [node(row, index) for row in range(SIZE)])
print('<?xml version="1.0"?><osm version="0.6">' + "\n".join(nodes + ways) + "</osm>")
