"""A tile server: /BEHAVIOUR/{z}/{x}/{y}.png

Prints its port, then a line of JSON for each request, as alerts.py does. BEHAVIOUR is good (each tile another grey), same (one picture everywhere), no-store, no-cache, max-age=0 (pictures
that may not be kept), absent (404), none (204),
empty (200 without a byte), refuse (403), busy (429 for the first two requests, then good), always-busy, down (503),
redirect (to another host), closed (hangs up), odd (no HTTP), slow (no answer within 10 s), drip (a byte a second), wrong
(an HTML page), text (a picture by its type only), huge (2 MB), endless (without an end), wide (a picture of 100 000 x
100 000 pixels), cut (half a picture's head), mixed (each odd column is wrong).
"""

import http.server
import json
import struct
import sys
import threading
import time
import zlib


def png(width=256, height=256, body=None, grey=200):
    """A grey picture, or one whose head only says so."""
    rows = body if body is not None else zlib.compress((b"\0" + bytes([grey]) * width) * height)
    whole = b"\x89PNG\r\n\x1a\n"
    for kind, data in [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b"")]:
        whole += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return whole


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = 2
    lock = threading.Lock()

    def do_GET(self):
        record = {"method": "GET", "path": self.path, "headers": dict(self.headers), "body": ""}
        with Handler.lock:
            print(json.dumps(record), flush=True)
            first = Handler.busy > 0
            Handler.busy -= self.path.startswith("/busy/")
        kind, column = self.path.split("/")[1], self.path.split("/")[3]
        self.close_connection = True
        if kind == "closed":
            return
        if kind == "odd":
            self.wfile.write(b"220 mail\r\n\r\n")
            return
        if kind == "slow":
            time.sleep(10)
        if kind == "always-busy" or (kind == "busy" and first):
            return self.answer(429, b"slow down", [("Retry-After", "7")])
        if kind == "redirect":
            return self.answer(302, b"", [("Location", "http://127.0.0.1:9/")])
        statuses = {"absent": 404, "none": 204, "refuse": 403, "down": 503}
        if kind in statuses:
            return self.answer(statuses[kind], b"" if kind == "none" else b"sorry")
        if kind == "drip":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            for byte in png():
                self.wfile.write(bytes([byte]))
                time.sleep(1)
        if kind == "endless":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            while True:
                self.wfile.write(png() + bytes(65536))
        if kind == "wrong" or (kind == "mixed" and int(column) % 2):
            return self.answer(200, b"<html>Log in to this network</html>", [("Content-Type", "text/html")])
        bodies = {"empty": b"", "text": b"no picture", "huge": png(body=bytes(2_000_000)), "wide": png(100_000, 100_000, b""),
                  "cut": png()[:20]}  # fmt: skip
        headers = [("Content-Type", "image/png")]
        if kind in ("no-store", "no-cache", "max-age=0"):
            headers.append(("Cache-Control", f"public, {kind}"))
        own = png() if kind == "same" else png(grey=zlib.crc32(self.path.encode()) % 256)
        self.answer(200, bodies.get(kind, own), headers)

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # A client that hangs up.


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
