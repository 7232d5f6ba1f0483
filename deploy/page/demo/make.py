#!/usr/bin/env python3
"""Records the simulated flight that the page shows to a newcomer: flight.json.gz.
    PROGRAM=.build/debug/sondygo2mqtt deploy/page/demo/make.py     takes six minutes

[[milliseconds since the begin, topic, what the gateway told], …], as /api/events tells it. The page plays it.
"""
import gzip
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
# Milliseconds between two reports of a kind that are kept.
USUAL, RARE = 900, {"prediction": 12_000, "flight": 1900, "landing": 3000, "health": 60_000, "track": 10**9, "winds": 10**9}
AFTER_LANDING = 25_000
LONGEST = 500_000


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def lines(port):
    for _ in range(100):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/api/events", timeout=30)
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the program does not answer")


def record(port):
    kept, last, begin, landed = [], {}, None, None
    kind = None
    for line in lines(port):
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            kind = text[7:]
        if not text.startswith("data: ") or kind is None:
            continue
        now = time.monotonic() * 1000
        begin = begin or now
        data = text[6:]
        if kind == "state" and json.loads(data)["phase"] == "landed":
            landed = landed or now
        often = kind in ("event", "state", "topics", "receiver_state", "bridge_info", "proposal")
        if often or now - last.get(kind, -1e9) >= RARE.get(kind, USUAL):
            last[kind] = now
            kept.append([round(now - begin), kind, data])
        if (landed and now - landed > AFTER_LANDING) or now - begin > LONGEST:
            return kept


def with_landing(kept):
    """From the first landing point on; before it stands the newest of each kind."""
    first = next(i for i, (_, kind, data) in enumerate(kept) if kind == "landing" and len(data) > 2)
    newest = {}
    for _, kind, data in kept[:first]:
        newest[kind] = data
    head = [[0, kind, newest[kind]] for kind in sorted(newest, key=lambda kind: kind != "topics") if kind != "event"]
    begin = kept[first][0]
    return head + [[when - begin, kind, data] for when, kind, data in kept[first:]]


def main():
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "SONDYGO_GATEWAY_STATE_DIRECTORY": folder, "SONDYGO_DASHBOARD_PORT": str(port), "SONDYGO_GATEWAY_ID": "simulated",
            "SONDYGO_DASHBOARD_COMMANDS": "false", "SONDYGO_SONDEHUB_ENABLED": "false"}
        program = subprocess.Popen(
            [os.environ["PROGRAM"], "simulate", "--car", "--speed", "8", "--seed", "3", "--burst", "9000", "--launch-delay", "5"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            kept = record(port)
        finally:
            program.terminate()
            program.wait()
    kept = with_landing(kept)
    text = json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()
    # Without a time, so that the same flight makes the same file.
    (HERE / "flight.json.gz").write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(kept)} reports, {len(text)} bytes, {(HERE / 'flight.json.gz').stat().st_size} compressed, {kept[-1][0] / 1000:.0f} s")


main()
