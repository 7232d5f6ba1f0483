"""Plays the server of SondeHub's live stream on loopback: streampeer.py MQTT_PORT [CERT KEY]

A WebSocket server before a real MQTT broker. It prints its port. The first part of the path chooses the behaviour:
/good passes on; /drop/3 closes the connection after 3 s; the others are below. Each connection is a line on standard
output, and each pong and close of the client."""
import base64
import hashlib
import os
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY, TEXT, CLOSE, PING, PONG = 2, 1, 8, 9, 10


def frame(payload, opcode=BINARY, fin=True):
    size = len(payload)
    head = bytes([fin << 7 | opcode])
    if size < 126:
        return head + bytes([size]) + payload
    return head + (struct.pack(">BH", 126, size) if size < 65536 else struct.pack(">BQ", 127, size)) + payload


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Handler(socketserver.BaseRequestHandler):
    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.request.recv(count - len(data))
            if not part:
                raise ConnectionError
            data += part
        return data

    def next_frame(self):
        first, second = self.exactly(2)
        size = second & 127
        if size > 125:
            size = struct.unpack(">H" if size == 126 else ">Q", self.exactly(2 if size == 126 else 8))[0]
        assert second & 128, "a client masks"
        mask = self.exactly(4)
        return first & 15, bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.exactly(size)))

    def handle(self):
        try:
            self.serve()
        except (OSError, AssertionError) as error:
            say("ended", type(error).__name__)

    def serve(self):
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.request.recv(4096) or b"\r\n\r\n"
        path = head.split(b" ", 2)[1].decode()
        parts = path.strip("/").split("/")
        self.mode, self.value = parts[0] or "good", parts[1] if len(parts) > 1 else ""
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        fields = {name.lower(): value for name, value in fields.items()}
        say("open", path, fields.get(b"sec-websocket-protocol", b"-").decode(), fields[b"user-agent"].decode())
        if self.mode == "silent":
            time.sleep(60)
        if self.mode == "html":
            self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>no</html>")
            return
        if self.mode == "refused":
            self.request.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        key = base64.b64encode(hashlib.sha1(fields[b"sec-websocket-key"] + GUID).digest())
        if self.mode == "badkey":
            key = base64.b64encode(b"x" * 20)
        answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        answer += b"Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Accept: " + key + b"\r\n\r\n"
        self.request.sendall(answer + (frame(b"\x20\2\0\0") if self.mode == "eager" else b""))
        if self.mode != "gone":
            self.relay()

    def relay(self):
        self.broker, self.lock = socket.create_connection(("127.0.0.1", int(sys.argv[1]))), threading.Lock()
        if self.mode == "drop":
            threading.Timer(float(self.value), lambda: self.request.shutdown(socket.SHUT_RDWR)).start()
        threading.Thread(target=self.from_broker, daemon=True).start()
        try:
            while True:
                opcode, payload = self.next_frame()
                if opcode == CLOSE:
                    say("closed", int.from_bytes(payload[:2], "big"))
                    return
                if opcode == PONG:
                    say("pong", payload.decode())
                elif self.mode != "mute":
                    self.broker.sendall(payload)
        finally:
            self.broker.close()

    def from_broker(self):
        passed = 0
        try:
            while data := self.broker.recv(4096):
                if self.mode == "half" and passed >= 2:
                    time.sleep(600)
                self.send(data)
                passed += 1
                # The first two answers are CONNACK and SUBACK: the session stands.
                if passed == 2:
                    self.misbehave()
        except OSError:
            pass

    def send(self, data):
        if self.mode == "bytes":
            for i in range(len(data)):
                opcode = BINARY if i == 0 else 0
                self.request.sendall(frame(data[i : i + 1], opcode, fin=i == len(data) - 1))
        elif self.mode == "pings":
            self.request.sendall(frame(b"are you there", PING) + frame(data))
        else:
            with self.lock:
                self.request.sendall(frame(data))

    def flood(self):
        """Sends that many messages a second beside the broker's."""
        body = b'\0\x09sondes/V1{"serial":"V1","datetime":"2026-01-01T12:00:00Z","lat":47,"lon":8,"alt":9000}'
        part = frame((bytes([0x30, len(body)]) + body) * (int(self.value) // 100))
        begun, parts = time.monotonic(), 0
        try:
            while True:
                with self.lock:
                    self.request.sendall(part)
                parts += 1
                time.sleep(max(0, begun + parts / 100 - time.monotonic()))
        except OSError:
            pass

    def misbehave(self):
        if self.mode == "huge":
            self.request.sendall(frame(b"x" * 10_000_000))
        elif self.mode == "hugepacket":
            packet = b"\x30\xff\xff\xff\x04\0\1a" + b"x" * 10_000_000
            for i in range(0, len(packet), 60_000):
                self.request.sendall(frame(packet[i : i + 60_000]))
        elif self.mode == "text":
            self.request.sendall(frame(b"hello", TEXT))
        elif self.mode == "garbage":
            # A ping must be shorter.
            self.request.sendall(b"\x89\x7e\x00\x80" + bytes(128))
        elif self.mode == "qos":
            # Messages that want acknowledgements, sent without waiting for one.
            body = b"\0\x09sondes/V1" + b"\0\1" + b"x" * 1000
            packet = bytes([0x30 | int(self.value) << 1, 0x80 | len(body) & 127, len(body) >> 7]) + body
            while True:
                self.request.sendall(frame(packet * 50))
        elif self.mode == "flood":
            threading.Thread(target=self.flood, daemon=True).start()
        elif self.mode == "pingflood":
            while True:
                self.request.sendall(frame(b"x" * 125, PING) * 200)
        elif self.mode == "close":
            halves = {"empty": b"", "byte": b"\x03"}
            payload = halves[self.value] if self.value in halves else struct.pack(">H", int(self.value)) + b"because"
            self.request.sendall(frame(payload, CLOSE))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def finish_request(self, request, address):
        if len(sys.argv) > 2:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[2], sys.argv[3])
            request = context.wrap_socket(request, server_side=True)
        self.RequestHandlerClass(request, address, self)

    def handle_error(self, request, address):
        say("failed", sys.exc_info()[0].__name__)


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
server.serve_forever()
