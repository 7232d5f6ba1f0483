"""Writes a synthetic wind data set for Tawhiri: tawhiri_dataset.py FOLDER TIME_STEPS

The file is named after the last full sixth hour, as the real ones are, and covers 3 h for each time step after the
first. The wind is the same at all times and in all places from 44 to 50 N, 4 to 16 E (calm elsewhere): a jet from the
west of 30 m/s at 10 km, and up to 3 m/s across it. The holes of the file take no room on the disk."""
import datetime
import math
import sys

import numpy
from tawhiri.dataset import Dataset

# Base height (m), base temperature (K), lapse rate (K/m) and base pressure (hPa) of the ICAO atmosphere's layers.
LAYERS = [
    (0, 288.15, -0.0065, 1013.25),
    (11000, 216.65, 0, 226.321),
    (20000, 216.65, 0.001, 54.7489),
    (32000, 228.65, 0.0028, 8.68019),
    (47000, 270.65, 0, 1.10906),
]
HYDROSTATIC = 9.80665 / 287.053


def height(pressure):
    """The height in metres for a pressure in hPa, in the ICAO atmosphere."""
    base, temperature, lapse, base_pressure = [layer for layer in LAYERS if layer[3] >= pressure][-1]
    ratio = pressure / base_pressure
    if lapse == 0:
        return base - temperature / HYDROSTATIC * math.log(ratio)
    return base + temperature / lapse * (ratio ** (-lapse / HYDROSTATIC) - 1)


def wind(metres):
    """The wind eastwards and northwards in m/s."""
    return 4 + 26 * math.exp(-(((metres - 10000) / 4000) ** 2)), 3 * math.cos(metres / 8000)


now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None, minute=0, second=0, microsecond=0)
data = Dataset(now.replace(hour=now.hour // 6 * 6), directory=sys.argv[1], new=True)
steps = int(sys.argv[2])
values = numpy.frombuffer(data.array, dtype=numpy.float32).reshape(Dataset.shape)
south, north = int((44 + 90) * 2), int((50 + 90) * 2) + 1
for level, pressure in enumerate(Dataset.axes.pressure):
    metres = height(min(pressure, LAYERS[0][3]))
    for variable, value in enumerate((metres, *wind(metres))):
        values[0:steps, level, variable, south:north, 8:32] = value
data.array.flush()
