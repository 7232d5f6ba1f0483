"""Plays SondeHub on loopback: sondehub.py FOLDER [CERT KEY]

Prints the port. The first part of the path chooses the behaviour (good, gzip, slow …), the rest is SondeHub's:
/good/sondes/site/06610 answers FOLDER/site.json, /good/sondes/telemetry FOLDER/track.json, /good/predictions
FOLDER/prediction.json, /good/tawhiri FOLDER/tawhiri.json, /good/sondes/websocket FOLDER/websocket.json,
/good/listeners/telemetry FOLDER/crews.json, /good/recovered FOLDER/recovered.json, /good/sites FOLDER/sites.json, and
/good/route/v1/… FOLDER/route.json, as a route server. If the file FOLDER/wind exists, Tawhiri's answers are computed:
the sonde drifts to the east, with this number of metres a second. While the file FOLDER/away exists, nothing is
answered; with FOLDER/lost, uploads arrive and are not answered. Every request is a line on standard output."""
import email.utils
import gzip
import http.server
import json
import math
import os
import pathlib
import ssl
import sys
import threading
import time
import traceback
import urllib.parse
import zlib
from datetime import datetime, timedelta

FOLDER = pathlib.Path(sys.argv[1])
# The height of the ground in a computed prediction, metres.
GROUND = 490.0
DEGREE_METRES = 111_195.0

# Heads of answers that no server should send.
HEADS = [
    b"",
    b"\r\n\r\n",
    b"HTTP/1.1\r\n\r\n",
    b"HTTP/1.1 \r\n\r\n",
    b"HTTP/1.1 20\r\n\r\n",
    b"HTTP/1.1 2000 OK\r\n\r\n",
    b"HTTP/1.1 -20 OK\r\n\r\n",
    b"HTTP/1.1 99999999999999999999 OK\r\n\r\n",
    b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/0.9 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"ICY 200 OK\r\n\r\n{}",
    b"SSH-2.0-OpenSSH_9.2p1\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}",
    b"HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 200_000 + b"\r\n\r\n{}",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\n\0\1\2",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 1000,
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n{}",
    b"\0" * 4096,
]


def course(query):
    """Tawhiri's answer to a query, with a point each minute."""
    asked = {name: texts[0] for name, texts in urllib.parse.parse_qs(query).items()}
    begin = datetime.fromisoformat(asked["launch_datetime"].replace("Z", "+00:00"))
    names = ("latitude", "longitude", "altitude")
    latitude, longitude, low = (float(asked["launch_" + name]) for name in names)
    up, top, down = (float(asked[name]) for name in ("ascent_rate", "burst_altitude", "descent_rate"))
    drift = float((FOLDER / "wind").read_text()) / DEGREE_METRES / math.cos(math.radians(latitude))
    burst = round(max(0, top - low) / up)
    landing = burst + round(max(0, top - GROUND) / down)

    def points(first, last):
        return [
            {"altitude": low + up * second if second <= burst else top - down * (second - burst),
             "datetime": (begin + timedelta(seconds=second)).isoformat().replace("+00:00", "Z"), "latitude": latitude,
             "longitude": longitude + drift * second} for second in (*range(first, last, 60), last)]

    stages = [("ascent", points(0, burst)), ("descent", points(burst, landing))]
    return {"metadata": {}, "warnings": {}, "request": asked,
            "prediction": [{"stage": stage, "trajectory": path} for stage, path in stages]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    age = 0

    def log_message(self, *arguments):
        pass

    def is_away(self):
        """The network is away: the connection ends without an answer."""
        self.close_connection = (FOLDER / "away").exists()
        return self.close_connection

    def do_GET(self):
        if self.is_away():
            return
        # A single write, because threads for other requests print at the same time.
        os.write(1, f"GET {self.path} | {self.headers['User-Agent']}\n".encode())
        mode, _, rest = self.path.lstrip("/").partition("/")
        getattr(self, "do_" + mode, self.do_good)(rest)

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.is_away():
            return
        os.write(1, f"PUT {self.path} | {self.headers['User-Agent']} | {body}\n".encode())
        mode, _, rest = self.path.lstrip("/").partition("/")
        if mode in ("status", "head"):
            getattr(self, "do_" + mode)(rest)
            return
        if mode == "slow":
            time.sleep(20)
        if (FOLDER / "lost").exists():
            self.close_connection = True
            return
        # "unknown" is a report of recovery for a sonde that SondeHub does not know.
        faults = {"fault": (b'{"message":"Internal server error"}', 500), "unknown": (b'{"message":"serial not found in db"}', 400)}
        self.answer(*faults.get(mode, (b"^v^", 200)))

    def body(self, rest):
        calls = {"listeners/": "crews", "websocket": "websocket", "telemetry": "track", "predictions?": "prediction", "tawhiri?": "tawhiri", "sondes?": "area", "recovered?": "recovered", "sites": "sites", "route/v1": "route"}
        name = next((name for call, name in calls.items() if call in rest), "site")
        if name == "tawhiri" and (FOLDER / "wind").exists():
            return json.dumps(course(rest.partition("?")[2])).encode()
        file = FOLDER / f"{name}.json"
        empty = {"recovered": b"[]", "sites": b"{}"}
        return empty[name] if name in empty and not file.exists() else file.read_bytes()

    def answer(self, body, status=200, **headers):
        self.age = int(headers.get("Age", 0))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def date_time_string(self, timestamp=None):
        """The date of an answer from a cache is as old as its Age says."""
        return super().date_time_string(timestamp or time.time() - self.age)

    def do_good(self, rest):
        self.answer(self.body(rest), Age="42")

    def do_gzip(self, rest):
        self.answer(gzip.compress(self.body(rest)), Content_Encoding="gzip")

    def do_bomb(self, rest):
        packed = gzip.compress(b"{" + b" " * (80 << 20))
        self.answer(packed, Content_Encoding="gzip")

    def do_slow(self, rest):
        time.sleep(20)

    def do_drip(self, rest):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b"1\r\n{\r\n" if _ == 0 else b"1\r\n \r\n")
            time.sleep(0.1)

    def do_endless(self, rest):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"1\r\n{\r\n")
        chunk = b" " * 65536
        while True:
            self.wfile.write(b"10000\r\n" + chunk + b"\r\n")

    def do_stall(self, rest):
        body = self.body(rest)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        time.sleep(60)

    def chunks(self, chunks, **headers):
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            if chunk:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def flood(self):
        """60 MB of the smallest records, each newer than the last."""
        yield b"{" + b'"T1":{' * ("telemetry" in self.path)
        for second in range(60 * 1024):
            record = b'"S%05d%02d":{"datetime":"2025-12-%02dT%02d:%02d:%02dZ","lat":1,"lon":1,"alt":1},'
            day, hour, minute = 1 + second // 86400, second // 3600 % 24, second // 60 % 60
            yield b"".join(record % (second, i, day, hour, minute, second % 60) for i in range(14))
        yield b'"X":{}}' + b"}" * ("telemetry" in self.path)

    def do_flood(self, rest):
        self.chunks(self.flood())

    def do_floodgzip(self, rest):
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)

        def packed():
            yield from map(packer.compress, self.flood())
            yield packer.flush()

        self.chunks(packed(), Content_Encoding="gzip")

    def do_longrecord(self, rest):
        good = self.body(rest)[1:]
        long = (b'"L%d":{"lat":1,"x":"\\"%s","y":[{"z":"}]"}]},' % (i, b"y" * (5 << 20)) for i in range(3))
        self.chunks([b"{", *long, good])

    def do_damaged(self, rest):
        body = gzip.compress(self.body(rest))
        self.answer(body[:100] + b"\0" * 40 + body[140:], Content_Encoding="gzip")

    def do_cutgzip(self, rest):
        self.answer(gzip.compress(self.body(rest))[:-20], Content_Encoding="gzip")

    def do_twogzip(self, rest):
        body = self.body(rest)
        self.answer(gzip.compress(body[:50]) + gzip.compress(body[50:]), Content_Encoding="gzip")

    def do_otherencoding(self, rest):
        self.answer(self.body(rest), Content_Encoding="br")

    def do_errorobject(self, rest):
        self.answer(b'{"message":"Internal server error"}')

    def do_errordescription(self, rest):
        self.answer(b'{"error":{"type":"PredictionException","description":"no winds"},"metadata":{}}')

    def do_html(self, rest):
        self.answer(b"<!doctype html>\n<title>Sorry</title>")

    def do_htmlfault(self, rest):
        self.answer(b"<!doctype html>\n<title>500 Internal Server Error</title>" + b"x" * 100000, 500)

    def do_refused(self, rest):
        self.answer(b'{"error":{"type":"RequestException","description":"Invalid value"}}', 400)

    def do_nodataset(self, rest):
        self.answer(b'{"error":{"type":"InvalidDatasetException","description":"No matching dataset found."}}', 404)

    def do_notimplemented(self, rest):
        self.answer(b'{"error":{"type":"NotYetImplementedException","description":"Not yet"}}', 501)

    def do_later(self, rest):
        then = email.utils.formatdate(time.time() + 90, usegmt=True)
        self.answer(b'{"message":"Service Unavailable"}', 503, Retry_After=then)

    def do_past(self, rest):
        self.answer(b"", 429, Retry_After="Thu, 11 Dec 2025 13:09:26 GMT")

    def do_odd(self, rest):
        self.answer(b"", 429, Retry_After="soon")

    def do_otherport(self, rest):
        self.answer(b"", 302, Location="http://127.0.0.1:%d/good/%s" % (server.server_port + 1, rest))

    def do_sameport(self, rest):
        self.answer(b"", 302, Location="http://127.0.0.1:%d/good/%s" % (server.server_port, rest))

    def do_truncated(self, rest):
        body = self.body(rest)
        self.answer(body[: len(body) * 2 // 3])

    def do_cut(self, rest):
        body = self.body(rest)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.close_connection = True

    def do_text(self, rest):
        self.answer(b"Duration must be either 3d, 1d, 12h, 6h, 3h, 1h, 30m, 1m, 15s, 0")

    def do_empty(self, rest):
        self.answer(b"{}")

    def do_busy(self, rest):
        self.answer(b'{"message":"Too Many Requests"}', 429, Retry_After="77")

    def do_broken(self, rest):
        self.answer(b'{"message":"Internal Server Error"}', 500)

    def do_moved(self, rest):
        self.answer(b"", 302, Location="/good/" + rest)

    def do_away(self, rest):
        self.answer(b"", 302, Location="https://elsewhere.example/" + rest)

    def raw(self, head):
        self.wfile.write(head)
        self.close_connection = True

    def do_status(self, rest):
        """/status/099/…: answers with these three digits and a body of two bytes."""
        self.raw(b"HTTP/1.1 %s Odd\r\nContent-Length: 2\r\n\r\n{}" % rest[:3].encode())

    def do_head(self, rest):
        """/head/7/…: answers with one of HEADS."""
        self.raw(HEADS[int(rest.partition("/")[0])])

    def do_circle(self, rest):
        self.answer(b"", 302, Location="/circle/" + rest)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
# A client that hangs up is no fault.
server.handle_error = lambda *_: None if isinstance(sys.exception(), OSError) else traceback.print_exc()
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
server.serve_forever()
