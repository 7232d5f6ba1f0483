#!/usr/bin/env python3
"""Watches a flight for deploy/demo.sh. Reads `mosquitto_sub -F '%t %p'` on standard input and prints the values that a crew
watches, until the prediction's score comes."""
import json
import math
import sys

EVERY_SECONDS = 240
height = None
told_at = 0


def seconds(text):
    """The seconds of the day."""
    hours, minutes, rest = text[11:19].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


for line in sys.stdin:
    topic, _, text = line.partition(" ")
    message = json.loads(text or "{}")
    kind = topic.rpartition("/")[2]
    if kind == "position":
        height = message["altitude_m"]
    elif kind == "event" and message.get("at"):
        # The score is for people who read, so no voice says it.
        is_score = message["event"] == "scored"
        if message["speak"] or is_score:
            print(f"{message['at'][11:19]}  “{message['text']}”", flush=True)
        if is_score:
            break
    elif kind == "landing" and message.get("source") == "predicted":
        now = seconds(message["time"])
        if (now - told_at) % 86400 < EVERY_SECONDS or height is None:
            continue
        told_at = now
        radius = message["error_radius_90_m"] / 1000
        print(
            f"{message['time'][11:19]}            at {height:5.0f} m: lands at {message['latitude']:.3f} "
            f"{message['longitude']:.3f} in {math.ceil(message['landing_in_s'] / 60)} min, 9 of 10 within {radius:.1f} km",
            flush=True)
