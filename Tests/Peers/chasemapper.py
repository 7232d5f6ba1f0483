"""Handles Horus datagrams like chasemapper (written anew after chasemapper/listeners.py, geometry.py and horusmapper.py of
projecthorus/chasemapper, which is GPL). A datagram that chasemapper would ignore or fail on is a fault here. `datagram`
returns the values that chasemapper would show."""
import datetime
import json
import math

LONGEST = 32768
AVERAGED = 6
UTC = datetime.timezone.utc


def full_time(text, now):
    """Adds the date to a time of day: the nearest day around midnight, else today."""
    hour, minute, second = map(int, text.removesuffix("Z").split(":"))
    time = now.replace(hour=hour, minute=minute, second=second, microsecond=0)
    if now.hour == 0 and hour == 23:
        return time - datetime.timedelta(days=1)
    if now.hour == 23 and hour == 0:
        return time + datetime.timedelta(days=1)
    return time


def great_circle(a, b):
    """The distance on a sphere in metres, like its earthmaths."""
    (lat1, lon1), (lat2, lon2) = ([math.radians(x) for x in place] for place in (a, b))
    root = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6_364_963 * math.asin(math.sqrt(root))


class ChaseMapper:
    def __init__(self):
        self.tracks = {}
        self.cars = []
        self.faults = []

    def datagram(self, data, now=None):
        """The shown values of a payload: callsign, position, ascent_rate, speed; None for other datagrams."""
        now = now or datetime.datetime.now(UTC)
        try:
            if len(data) > LONGEST:
                raise ValueError("it reads no more than 32 kB")
            # One JSON object in UTF-8.
            packet = json.loads(data.decode())
            kind = packet["type"]
            if kind == "PAYLOAD_SUMMARY":
                return self.summary(packet, now)
            if kind == "GPS":
                self.car(packet)
            else:
                raise ValueError(f"nothing is done with {kind}")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.faults.append(f"{error!r} in {data[:300]}")

    def summary(self, packet, now):
        latitude, longitude, altitude = (float(packet[key]) for key in ("latitude", "longitude", "altitude"))
        callsign = packet["callsign"]
        # chasemapper prints the call sign, sends it to browsers, and uses it as a key.
        if not isinstance(callsign, str) or not callsign:
            raise TypeError("callsign")
        time = full_time(packet["time"], now) if "time" in packet else now
        track = self.tracks.setdefault(callsign, [])
        if track and time <= track[-1][0]:
            raise ValueError(f"thrown away as no newer than {track[-1][0]}")
        # chasemapper shows these values unchanged.
        for key in ("temp", "humidity", "sats", "snr", "batt"):
            if key in packet and not isinstance(packet[key], (int, float)):
                raise TypeError(key)
        track.append((time, latitude, longitude, altitude))
        return {"callsign": callsign, "position": track[-1][1:], "time": time, "ascent_rate": self.ascent_rate(track),
                "speed": self.speed(track)}

    @staticmethod
    def ascent_rate(track):
        pairs = list(zip(track, track[1:]))[-(AVERAGED - 1):]
        rates = [(b[3] - a[3]) / (b[0] - a[0]).total_seconds() for a, b in pairs]
        return sum(rates) / len(rates) if rates else 0.0

    @staticmethod
    def speed(track):
        if len(track) < 2:
            return 0.0
        (before, *a, _), (time, *b, _) = track[-2:]
        return great_circle(a, b) / (time - before).total_seconds()

    def car(self, packet):
        latitude, longitude = float(packet["latitude"]), float(packet["longitude"])
        # Older versions crash without an altitude. chasemapper uses it as the ground below the sonde.
        altitude = float(packet["altitude"])
        # chasemapper takes the heading for a compass's and computes with it.
        if "heading" in packet and not 0 <= packet["heading"] < 360:
            raise ValueError("heading")
        self.cars.append((latitude, longitude, altitude))
