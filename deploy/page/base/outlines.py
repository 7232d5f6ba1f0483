"""Reads the outlines of GSHHG, the shores, rivers and borders that Debian packs for the GMT program.

GSHHG cuts everything into bins of 2 degrees. A bin holds lines; a line of the shores always has the land on its left.
"""
import numpy
from netCDF4 import Dataset
from shapely import LineString, STRtree, box, polygonize, union_all
from shapely.geometry.polygon import orient

UNIT = 65535  # of a bin's side
SIDE = 2  # degrees
COLUMNS = 360 // SIDE


class Outlines:
    """One file of the package, opened."""

    def __init__(self, path):
        self.variables = Dataset(path).variables
        self.first = self.column("Id_of_first_segment_in_a_bin")
        self.count = self.column("N_segments_in_a_bin")
        self.start = self.column("Id_of_first_point_in_a_segment")
        # The package has them as signed numbers of 16 bits.
        self.x = self.column("Relative_longitude_from_SW_corner_of_bin") & 0xFFFF
        self.y = self.column("Relative_latitude_from_SW_corner_of_bin") & 0xFFFF

    def column(self, name):
        return numpy.array(self.variables[name][:]).astype(numpy.int64)

    def corner(self, number):
        """The south-west corner of a bin: longitude from -180, latitude."""
        longitude = number % COLUMNS * SIDE
        return (longitude - 360 if longitude >= 180 else longitude), 90 - SIDE - number // COLUMNS * SIDE

    def points(self, number, segment, count):
        west, south = self.corner(number)
        part = slice(self.start[segment], self.start[segment] + count)
        return numpy.stack([west + self.x[part] * SIDE / UNIT, south + self.y[part] * SIDE / UNIT], axis=1)

    def bins(self):
        for number in range(len(self.first)):
            yield number, range(self.first[number], self.first[number] + self.count[number])


def lines(path):
    """All lines of a file of rivers or borders: level and points."""
    source = Outlines(path)
    counts = source.column("N_points_for_a_segment")
    levels = source.column("Hierarchial_level_of_a_segment")
    for number, segments in source.bins():
        for segment in segments:
            yield int(levels[segment]), source.points(number, segment, counts[segment])


def water(path):
    """The water of all bins as polygons, and all bins without a shore: (corner, whether it is land)."""
    source = Outlines(path)
    facts = source.column("Embedded_npts_levels_exit_entry_for_a_segment")
    corners = source.column("Embedded_node_levels_in_a_bin")
    polygons, plain = [], []
    for number, segments in source.bins():
        west, south = source.corner(number)
        if south < -60:
            continue
        shores = [source.points(number, segment, facts[segment] >> 9) for segment in segments]
        if shores:
            polygons += faces(box(west, south, west + SIDE, south + SIDE), shores)
        elif corners[number] & 7 in (0, 2):
            polygons.append(box(west, south, west + SIDE, south + SIDE))
    return polygons


def faces(frame, shores):
    """The parts of a bin that are water."""
    # Each step of a shore, in its direction: land is on its left.
    steps = set()
    for shore in shores:
        rounded = [tuple(point) for point in numpy.round(shore, 7)]
        steps.update(zip(rounded, rounded[1:]))
    parts = [LineString(numpy.round(shore, 7)) for shore in shores if len(shore) > 1]
    found = polygonize([union_all([*parts, frame.exterior])]).geoms
    return [face for face in found if is_water(orient(face), steps)]


def is_water(face, steps):
    """The inside of an oriented face is left of all its steps."""
    votes = 0
    for ring in (face.exterior, *face.interiors):
        points = [tuple(point) for point in numpy.round(numpy.array(ring.coords), 7)]
        for step in zip(points, points[1:]):
            votes += (step[::-1] in steps) - (step in steps)
    return votes > 0


class Nearby:
    """Shapes that are found by their place."""

    def __init__(self, shapes):
        self.shapes = shapes
        self.tree = STRtree(shapes)

    def within(self, frame):
        return [self.shapes[index] for index in self.tree.query(frame)]
