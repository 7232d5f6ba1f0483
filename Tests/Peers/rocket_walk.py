"""Sends the rocket app's requests to the recovery feed: rocket_walk.py PORT POINTS.json SERIAL. Asks for the rockets, the
list, a header and the whole recording. Compares the recording with the points of the flight in slot 0 ([[ms, latitude,
longitude, altitude], …]). Prints the differences, and last how many samples it compared."""
import json
import socket
import struct
import sys

port, points, serial = int(sys.argv[1]), json.load(open(sys.argv[2])), sys.argv[3]
connection = socket.create_connection(("127.0.0.1", port), timeout=10)
stream = connection.makefile("rb")
faults = []


def ask(request, *kinds):
    connection.sendall(json.dumps(request).encode() + b"\n")
    answers = []
    for kind in kinds:
        while True:
            line = stream.readline()
            assert line.endswith(b"\r\n"), line
            message = json.loads(line)
            if message["type"] == kind:
                answers.append(message)
                break
    return answers


def expect(name, got, wanted):
    if got != wanted:
        faults.append(f"{name} is {got}, not {wanted}")


ack, = ask({"cmd": "ping", "id": 1}, "ack")
expect("ping", ack, {"type": "ack", "id": 1, "ok": True})
ack, error = ask({"cmd": "flash_delete", "rocket": 0, "slot": 0, "id": 9}, "ack", "error")
expect("delete", (ack["id"], ack["ok"], error["code"]), (9, False, "NOT_ALLOWED"))
error, = ask({"cmd": "dance"}, "error")
expect("unknown", error, {"type": "error", "code": "UNKNOWN_CMD", "message": "Unknown command: dance"})
rockets, = ask({"cmd": "rockets", "id": 7}, "rockets")
first = rockets["rockets"][0]
expect("rockets", (rockets["count"], first["id"], first["name"]), (len(rockets["rockets"]), 0, serial))
expect("place", (first["lat"], first["lon"], first["alt"]), tuple(points[-1][1:4]))
if not isinstance(first["age"], int) or first["age"] < 0:
    faults.append(f"age {first['age']}")
for request in ({"cmd": "flash_list"}, {"cmd": "flash_list", "rocket": 0}):
    listing, = ask(request, "flash_list")
    flight = listing["flights"][0]
    expect("list", (flight["slot"], flight["samples"], flight["time"], flight["time_ms"]),
           (0, len(points), points[-1][0] - points[0][0], points[-1][0] - points[0][0]))
    expect("altitude", (flight["alt"], flight["altitude"]), (max(p[3] for p in points),) * 2)
header, twin = ask({"cmd": "flash_read", "rocket": 0, "slot": 0, "sample": 4294967295}, "flash_header", "flash_data")
image = bytes.fromhex(header["data"])
expect("header", twin["data"], header["data"])
expect("header length", len(image), 80)
magic, version, _, unix, samples, highest, fastest, apogee, duration, _, lat, lon = struct.unpack("<5I2f2IfII", image[:48])
expect("magic", (magic, version), (0x46474854, 1))
expect("header", (unix, samples, duration), (points[0][0] // 1000, len(points), points[-1][0] - points[0][0]))
if abs(highest - max(p[3] for p in points)) > 0.01:
    faults.append(f"highest {highest}")
expect("sum", struct.unpack("<I", image[68:72])[0], sum(image[:68]))
data, start = b"", 0
while start < len(points):
    piece, = ask({"cmd": "flash_read", "rocket": 0, "slot": 0, "sample": start}, "flash_data")
    expect("piece", (piece["start"], piece["total"], piece["count"]), (start, len(points), min(3, len(points) - start)))
    data += bytes.fromhex(piece["data"])
    start += 3
expect("length", len(data), 52 * len(points))
before = None
for index, point in enumerate(points):
    ms, cm, climb, _, _, lat, lon, speed, heading, sats = struct.unpack("<IihIhiihHB", data[52 * index:][:29])
    wanted = (point[0] - points[0][0], round(point[3] * 100), round(point[1] * 1e6), round(point[2] * 1e6))
    if abs(cm - wanted[1]) > 1 or abs(lat - wanted[2]) > 1 or abs(lon - wanted[3]) > 1 or ms != wanted[0]:
        faults.append(f"sample {index} is {(ms, cm, lat, lon)}, not {wanted}")
    if before and 0 < point[0] - before[0] <= 60_000:
        rate = (point[3] - before[3]) / (point[0] - before[0]) * 1000
        if abs(climb - rate * 100) > 1:
            faults.append(f"sample {index}: climb {climb} cm/s, not {rate * 100}")
    before = point
# A read from the middle, and a read beyond the end.
piece, = ask({"cmd": "flash_read", "rocket": 0, "slot": 0, "start": len(points) // 2}, "flash_data")
expect("middle", bytes.fromhex(piece["data"]), data[52 * (len(points) // 2):][:156])
piece, = ask({"cmd": "flash_read", "rocket": 0, "slot": 0, "sample": 10 ** 9}, "flash_data")
expect("beyond", piece["count"], 0)
error, = ask({"cmd": "flash_read", "rocket": 0, "slot": 99, "sample": 0}, "error")
expect("slot", error["code"], "NO_FLIGHT")
print(f"samples {len(points)}")
print("\n".join(faults[:20]) or "the same")
