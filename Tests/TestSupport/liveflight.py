"""Flies a sonde that SondeHub hears: liveflight.py FOLDER MQTT_PORT SECONDS CACHE [CLIMB [FROM]]

Each second a frame is published as SondeHub's live stream does, 3 s after its own time. FOLDER's site.json and
track.json (sondehub.py) show the flight as it was up to CACHE seconds ago, as SondeHub's cache does; site.json shows
the sondes of day.json, too. CLIMB is in m/s (5), FROM in metres (12000)."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time


def record(serial, moment, latitude, longitude, altitude, climb, **more):
    """A frame as SondeHub gives it."""
    return {
        "software_name": "radiosonde_auto_rx", "software_version": "1.8.1", "uploader_callsign": "HB9XYZ",
        "uploader_position": "46.8,6.9", "uploader_alt": 490, "uploader_antenna": "1/4 wave monopole",
        "time_received": moment.isoformat().replace("+00:00", "Z"),
        "datetime": moment.isoformat().replace("+00:00", "Z"), "ref_datetime": "UTC", "ref_position": "GPS",
        "manufacturer": "Vaisala", "type": "RS41", "subtype": "RS41-SGP", "serial": serial, "frame": 7312,
        "lat": latitude, "lon": longitude, "alt": altitude, "vel_h": 11 if climb else 0.1, "vel_v": climb, "heading": 0,
        "sats": 10, "batt": 2.6, "temp": -52.3, "humidity": 45.2, "frequency": 403.5, "tx_frequency": 403.5,
        "snr": 14.1, "user-agent": "Amazon CloudFront", "position": f"{latitude},{longitude}",
        "upload_time_delta": -0.41} | more


def fly(folder, port, seconds, cache, climb=5.0, start=12000.0):
    publisher = subprocess.Popen(
        ["mosquitto_pub", "-p", port, "-t", "sondes/V1", "-l"], stdin=subprocess.PIPE, text=True, bufsize=1
    )
    track, cached = {}, 0
    day = json.loads((folder / "day.json").read_text()) if (folder / "day.json").exists() else {}

    def write(name, value):
        (folder / (name + ".new")).write_text(json.dumps(value))
        os.replace(folder / (name + ".new"), folder / name)

    for second in range(seconds):
        moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=3)
        frame = record("V1", moment, 46.9 + second * 1e-4, 7.4, start + climb * second, climb)
        track[frame["datetime"]] = frame
        if time.monotonic() - cached >= cache:
            cached = time.monotonic()
            write("site.json", day | {"V1": frame})
            write("track.json", {"V1": track})
            if second == 0:
                print("flying", flush=True)
        publisher.stdin.write(json.dumps(frame) + "\n")
        if os.getppid() == 1:
            break
        time.sleep(1)
    publisher.stdin.close()
    publisher.wait()


if __name__ == "__main__":
    fly(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *map(float, sys.argv[4:]))
