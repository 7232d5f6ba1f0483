"""Compares a flight's files with its points, number by number: flight_files.py POINTS.json FILE.gpx FILE.kml FILE.csv
FILE.geojson. POINTS.json holds [[milliseconds since 1970, latitude, longitude, altitude, source], …]. Prints the
differences, and last how many points of each file it compared."""
import csv
import datetime
import json
import math
import sys
import xml.etree.ElementTree

points = json.load(open(sys.argv[1]))
GPX = {"g": "http://www.topografix.com/GPX/1/1"}
KML = {"k": "http://www.opengis.net/kml/2.2"}
faults = []


def milliseconds(text):
    assert text.endswith("Z")
    return round(datetime.datetime.fromisoformat(text[:-1] + "+00:00").timestamp() * 1000)


def compare(name, found):
    """Compares the points; each of `found` is time (or None), latitude, longitude, altitude."""
    if len(found) != len(points):
        faults.append(f"{name}: {len(found)} points, not {len(points)}")
    for place, (got, wanted) in enumerate(zip(found, points)):
        same = got[0] in (None, wanted[0]) and all(
            abs(got[i] - wanted[i]) <= tolerance for i, tolerance in ((1, 5.1e-7), (2, 5.1e-7), (3, 0.051)))
        if not same:
            faults.append(f"{name}: point {place} is {got}, not {wanted}")
    print(f"{name} {len(found)}")


def gaps(times):
    return sum(1 for a, b in zip(times, times[1:]) if b - a > 60_000)


gpx = xml.etree.ElementTree.parse(sys.argv[2]).getroot()
compare("gpx", [
    (milliseconds(p.find("g:time", GPX).text), float(p.get("lat")), float(p.get("lon")),
     float(p.find("g:ele", GPX).text)) for p in gpx.iterfind("g:trk/g:trkseg/g:trkpt", GPX)])
segments = len(gpx.findall("g:trk/g:trkseg", GPX))
if segments != 1 + gaps([p[0] for p in points]):
    faults.append(f"gpx: {segments} segments")
print("waypoints", " ".join(p.find("g:name", GPX).text.split()[-1] for p in gpx.iterfind("g:wpt", GPX)))

kml = xml.etree.ElementTree.parse(sys.argv[3]).getroot()
found = []
for geometry in kml.find(".//k:MultiGeometry", KML):
    for text in geometry.find("k:coordinates", KML).text.split():
        longitude, latitude, altitude = map(float, text.split(","))
        found.append((None, latitude, longitude, altitude))
compare("kml", found)

with open(sys.argv[4], newline="") as file:
    rows = list(csv.DictReader(file))
compare("csv", [
    (milliseconds(r["time"]), float(r["latitude"]), float(r["longitude"]), float(r["altitude_m"])) for r in rows])
for before, row, wanted in zip(rows, rows[1:], points[1:]):
    seconds = (milliseconds(row["time"]) - milliseconds(before["time"])) / 1000
    if row["source"] != wanted[4]:
        faults.append(f"csv: source {row}")
    if seconds > 60:
        if row["vertical_speed_mps"] or row["horizontal_speed_mps"]:
            faults.append(f"csv: a speed over a gap: {row}")
        continue
    climb = (float(row["altitude_m"]) - float(before["altitude_m"])) / seconds
    north = (float(row["latitude"]) - float(before["latitude"])) * 111_195
    east = (float(row["longitude"]) - float(before["longitude"])) * 111_195 * math.cos(
        math.radians(float(row["latitude"])))
    over_ground = math.hypot(north, east) / seconds
    if abs(climb - float(row["vertical_speed_mps"])) > 0.15:
        faults.append(f"csv: vertical speed {row}, not {climb}")
    if abs(over_ground - float(row["horizontal_speed_mps"])) > 0.3 + over_ground / 100:
        faults.append(f"csv: horizontal speed {row}, not {over_ground}")

document = json.load(open(sys.argv[5]))
found = []
for feature in document["features"]:
    if feature["geometry"]["type"] == "LineString":
        line = [
            (milliseconds(time), latitude, longitude, altitude)
            for time, (longitude, latitude, altitude) in zip(
                feature["properties"]["coordTimes"], feature["geometry"]["coordinates"], strict=True)]
        found += line[1:] if found else line
compare("geojson", found)
print("\n".join(faults[:20]) or "the same")
