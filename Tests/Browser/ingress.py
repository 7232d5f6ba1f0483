"""The page in a panel of Home Assistant: below a path, in a frame, through a proxy."""
import http.client
import http.server
import threading

from rig import Gateway, Page, eventually
from suite import test

PATH = "/api/hassio_ingress/a-token_1"


class Ingress:
    """Plays Home Assistant: a site with a panel, and the Supervisor's ingress, which takes the path away."""

    def __init__(self, gateway):
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer()

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers["Content-Length"])))

            def answer(self, body=None):
                outer.asked.append(self.path)
                if self.path == "/":
                    return self.tell(200, b'<!doctype html><title>Home</title><iframe id="panel" src="%s/" width="1000" height="560"></iframe>' % PATH.encode())
                if not self.path.startswith(PATH + "/"):
                    return self.tell(404, b"")
                upstream = http.client.HTTPConnection("127.0.0.1", gateway.port)
                headers = {name: value for name, value in self.headers.items() if name != "Connection"}
                upstream.request(self.command, self.path[len(PATH):], body, headers | {"X-Ingress-Path": PATH})
                answer = upstream.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    while piece := answer.read1(65_536):  # An event stream has no end.
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    pass
                self.close_connection = True
                upstream.close()

            def tell(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@test
def the_page_works_in_home_assistants_panel(_):
    """Numbers, map, flights and a command come through the ingress; nothing is asked beside its path."""
    gateway = Gateway("--launch-delay", "5", "--speed", "20", DASHBOARD_ONLY_FROM="127.0.0.1", DASHBOARD_FRAME_FROM="self")
    home = Ingress(gateway)
    page = Page(gateway, url=home.url)
    try:
        page.browser.switch_to.frame("panel")
        eventually("numbers", lambda: [t for t in page.texts("#numbers b") if t not in ("", "–")])
        for screen in ("map", "crew", "receiver"):
            page.show(screen)
            eventually(screen, lambda: page.run("return !document.getElementById(arguments[0]).hidden", screen))
        eventually("the map", lambda: page.run("return !!document.querySelector('#leaf.leaflet-container')"))
        eventually("a flight", lambda: any(path.startswith(PATH + "/api/flights") for path in home.asked))
        status = page.browser.execute_async_script("""
            const done = arguments[arguments.length - 1];
            fetch('api/command', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"mute":true}'})
                .then(answer => done(answer.status), fault => done(String(fault)))""")
        assert status in (200, 202), status
        beside = [path for path in home.asked if not path.startswith(PATH + "/") and path not in ("/", "/favicon.ico")]
        assert not beside, beside
        severe = [line["message"] for line in page.browser.get_log("browser")
                  if line["level"] == "SEVERE" and "favicon" not in line["message"]]
        assert not severe, severe
        page.browser.switch_to.default_content()
        page.picture("ingress")
    finally:
        page.close()
        gateway.stop()
