"""A Wi-Fi link between browser and gateway."""
import socket
import threading
import time


class Relay:
    """Relays bytes. While it is cut, it loses all bytes silently, and the open connections stay dead afterwards."""

    def __init__(self, target):
        self.target = target
        self.delay = 0
        self.cuts = 0
        self.is_whole = threading.Event()
        self.is_whole.set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        self.is_whole.clear()
        self.cuts += 1

    def mend(self):
        self.is_whole.set()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        self.is_whole.wait()
        server = socket.create_connection(("127.0.0.1", self.target))
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self.pump, args=(source, sink, self.cuts), daemon=True).start()

    def pump(self, source, sink, cuts):
        try:
            while data := source.recv(65_536):
                time.sleep(self.delay)
                if cuts != self.cuts:
                    # Keep the connection open without reading.
                    threading.Event().wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            source.close()
            sink.close()
