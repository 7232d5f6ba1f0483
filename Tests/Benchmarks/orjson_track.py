"""Time and peak memory of orjson on a file, for comparison: orjson_track.py FILE"""
import resource
import sys
import time

import orjson

data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
best = 1e9
for _ in range(5):
    began = time.perf_counter()
    parsed = orjson.loads(data)
    best = min(best, time.perf_counter() - began)
    del parsed
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"{best * 1000:.1f} ms, {(after - before) / 1024:.1f} MB above idle")
