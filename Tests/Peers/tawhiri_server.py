"""Tawhiri on a free loopback port, which is printed: tawhiri_server.py FOLDER. Ends with its parent."""
import os
import sys
import threading
import time
import wsgiref.simple_server

from tawhiri.api import app


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


app.config["WIND_DATASET_DIR"] = os.path.join(sys.argv[1], "winds")
app.config["ELEVATION_DATASET"] = os.path.join(sys.argv[1], "ground")
threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
server = wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
