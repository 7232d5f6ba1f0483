"""A server that takes alerts, as ntfy, Gotify, Telegram, Matrix and mail gateways do.

Prints its port, then a line of JSON for each request: method, path, headers and body. The first level of the path says
how it behaves: good, busy (503 for the first two requests, then good), refuse (401), upgraded (400 with a reason, as
Telegram gives it), redirect (302 to /good), slow (no answer within 10 s), closed (hangs up), odd (no HTTP).
"""

import http.server
import json
import sys
import threading
import time

REASON = b'{"ok":false,"description":"Bad Request: group chat was upgraded to a supergroup chat"}\n' + b"x" * 300


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = 2
    lock = threading.Lock()

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        record = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        with Handler.lock:
            print(json.dumps(record), flush=True)
        kind = self.path.split("/")[1]
        if kind == "slow":
            time.sleep(10)
        if kind == "closed":
            self.close_connection = True
            return
        if kind == "odd":
            self.wfile.write(b"220 mail\r\n\r\n")
            self.close_connection = True
            return
        status = {"refuse": 401, "upgraded": 400, "redirect": 302}.get(kind, 200)
        if kind == "busy" and Handler.busy > 0:
            Handler.busy -= 1
            status = 503
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/good")
        answer = REASON if kind == "upgraded" else b"ok"
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = handle_any

    def log_message(self, format, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Reports nothing if a client hangs up. The test reads both outputs as one, so a report would stand between two
        records."""


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
