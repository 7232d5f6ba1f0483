"""Flies a sonde that SondeHub hears: liveflight.py FOLDER MQTT_PORT SECONDS CACHE [CLIMB]

Each second a frame is published as SondeHub's live stream does, 3 s after its own time. FOLDER's site.json and track.json
(sondehub.py) show the flight as it was up to CACHE seconds ago, as SondeHub's cache does. CLIMB is in m/s (5)."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

folder, port, seconds, cache = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
climb = float(sys.argv[5]) if len(sys.argv) > 5 else 5
publisher = subprocess.Popen(
    ["mosquitto_pub", "-p", port, "-t", "sondes/V1", "-l"], stdin=subprocess.PIPE, text=True, bufsize=1
)
track, cached = {}, 0


def write(name, value):
    (folder / (name + ".new")).write_text(json.dumps(value))
    os.replace(folder / (name + ".new"), folder / name)


for second in range(seconds):
    now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=3)
    frame = {
        "serial": "V1", "type": "RS41", "ref_datetime": "UTC", "datetime": now.isoformat().replace("+00:00", "Z"),
        "lat": 46.9 + second * 1e-4, "lon": 7.4, "alt": 12000 + climb * second, "vel_h": 11, "vel_v": climb, "heading": 0,
        "frequency": 403.5, "uploader_callsign": "HB9XYZ", "uploader_position": "46.8,6.9", "uploader_alt": 490,
    }  # fmt: skip
    track[frame["datetime"]] = frame
    if time.monotonic() - cached >= cache:
        cached = time.monotonic()
        write("site.json", {"V1": frame})
        write("track.json", {"V1": track})
        if second == 0:
            print("flying", flush=True)
    publisher.stdin.write(json.dumps(frame) + "\n")
    if os.getppid() == 1:
        break
    time.sleep(1)
publisher.stdin.close()
publisher.wait()
