"""Writes synthetic elevations for Ruaumoko, from which Tawhiri takes the ground: ruaumoko_dataset.py FILE

430 m from 46 to 48 N and 6 to 10 E, the sea elsewhere. The holes of the file take no room on the disk."""
import sys

import numpy

# The file holds tiles; each tile holds cells of 15 seconds of arc, north to south and west to east.
SHAPE = (4, 6, 10801, 14401)
ROWS, COLUMNS = SHAPE[2] - 1, SHAPE[3] - 1
ROWS_A_DEGREE, COLUMNS_A_DEGREE = ROWS / 45, COLUMNS / 60

with open(sys.argv[1], "wb") as file:
    file.truncate(2 * SHAPE[0] * SHAPE[1] * SHAPE[2] * SHAPE[3])
metres = numpy.memmap(sys.argv[1], dtype="<i2", mode="r+", shape=SHAPE)
west, east = round((6 + 180) * COLUMNS_A_DEGREE), round((10 + 180) * COLUMNS_A_DEGREE)
for latitude in numpy.arange(46, 48, 1 / ROWS_A_DEGREE):
    row = round((90 - latitude) * ROWS_A_DEGREE)
    metres[row // ROWS, west // COLUMNS, row % ROWS, west % COLUMNS : east % COLUMNS] = 430
metres.flush()
