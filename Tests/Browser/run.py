"""Compares the page in Chromium with the gateway's messages. Tests/browser.sh runs it."""
import concurrent.futures
import sys
import time
import traceback

import shared
import access  # These tests share the gateway of shared.
import honest
import hunt
import languages  # These share it, too.
import records
import losses  # The tests of losses run after those of shared.
import apart
import outside
import setup
import ingress
from rig import ROOM
from suite import TESTS


def attempt(one, place):
    """Runs a test and prints the result; returns whether it passed."""
    began = time.monotonic()
    try:
        if place:
            place.reset()
        one(place)
        print(f"ok    {one.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    except Exception:
        print(f"FAIL  {one.__name__}\n{traceback.format_exc()}", flush=True)
        if place:
            place.page.picture(f"failed-{one.__name__}")
        return False


def main(words):
    ROOM.mkdir(parents=True, exist_ok=True)
    left_out = [word[1:] for word in words if word.startswith("-")]
    wanted = [word for word in words if not word.startswith("-")]
    chosen = [t for t in TESTS if t.__name__ not in left_out and (not wanted or any(word in t.__name__ for word in wanted))]
    ours = [t for t in chosen if t.__code__.co_varnames[0] == "p"]
    # Tests with a gateway of their own mostly wait, so two run at a time. The test of frame times runs alone.
    alone = [t for t in chosen if t is apart.ten_thousand_points_are_drawn_in_time]
    beside = [t for t in chosen if t not in ours and t not in alone]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        others = [pool.submit(attempt, t, None) for t in beside]
        place = shared.Place() if ours else None
        failed = [t for t in ours if not attempt(t, place)]
        if place:
            place.close()
        failed += [t for t, other in zip(beside, others) if not other.result()]
    failed += [t for t in alone if not attempt(t, None)]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} tests of the page passed", flush=True)
    sys.exit(bool(failed))


main(sys.argv[1:])
