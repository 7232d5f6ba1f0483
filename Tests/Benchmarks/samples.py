#!/usr/bin/env python3
"""Measures how many bytes the store takes for how sondes were heard: one sample a second for a day, by an RS41's values as
the receiver tells them, in the table that the gateway makes. Indexes and free room in pages are included.
usage: samples.py
Prints the bytes of a sample and of a day. Exit code 1 beyond 5 MB a day."""
import pathlib, random, re, sqlite3, sys, tempfile

LIMIT_MB, DAY = 5.0, 86_400
source = pathlib.Path(__file__).resolve().parents[2] / "Sources/FlightStore/FlightStore+Samples.swift"
table = re.search(r'static let samples = """\n(.*?)"""', source.read_text(), re.DOTALL)[1]
chance = random.Random(1)
begin = 1_795_000_000_000  # milliseconds since 1970, as of a flight of 2026


def sample(second: int) -> tuple:
    """The sonde passes the car at 20 m/s; the weather is SondeHub's alone."""
    away = 20 * abs(second - DAY / 2)
    level = -50 - away / 10_000 + chance.gauss(0, 2)
    return (1, begin + 1000 * second + chance.randrange(40), "ble", 404_500, round(level * 10), chance.randrange(-900, 900),
            chance.randrange(3700, 4100), chance.randrange(3600), round(away), None, None, None)


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "samples.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript("CREATE TABLE flight (id INTEGER PRIMARY KEY); INSERT INTO flight VALUES (1);" + table)
        empty = path.stat().st_size
        database.executemany(f"INSERT INTO sample VALUES ({', '.join('?' * 12)})", map(sample, range(DAY)))
    database.close()
    taken = path.stat().st_size - empty

print(f"a second of how a sonde was heard: {taken / DAY:.0f} bytes; a day: {taken / 1e6:.1f} MB ({LIMIT_MB:g} MB)")
sys.exit(taken / 1e6 > LIMIT_MB)
