"""Hostile clients for a TCP feed: hostile_peers.py PORT SECONDS [UDP_PORT…]. Some stall, some flood, one closes its sending
side, one sends a megabyte without a line end, a hundred connect at once, and garbage goes to the UDP ports. At the end a
good client must get a line. Prints what the clients did, and last the good client's waiting time in ms."""
import collections
import select
import socket
import sys
import threading
import time

port, seconds, datagram_ports = int(sys.argv[1]), float(sys.argv[2]), [int(text) for text in sys.argv[3:]]
end = time.monotonic() + seconds
is_over = threading.Event()
done = collections.Counter()


def left():
    return max(0.01, end - time.monotonic())


def connect():
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(1)
    connection.connect(("127.0.0.1", port))
    return connection


def until_closed(connection, limit):
    """Waits without reading until the server closes."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    return bool(poll.poll(min(limit, left()) * 1000))


def again(body):
    def run():
        while not is_over.is_set():
            try:
                body()
                done[body.__name__] += 1
            except OSError:
                done[body.__name__ + " refused"] += 1
            # A refused client comes back at once, but gives the others a turn, too.
            is_over.wait(0.01)
    return threading.Thread(target=run, daemon=True)


def stall():
    with connect() as connection:
        if until_closed(connection, 5):
            raise ConnectionError


def flood():
    with connect() as connection:
        piece = b'{"cmd":"rockets"}\n{"lat":1,"lon":2}\n' * 500
        while not is_over.is_set():
            connection.sendall(piece)


def half_close():
    """Closes the sending side, with or without a request before. The server must close the connection."""
    with connect() as connection:
        connection.sendall(b'{"cmd":"flash_list"}\n')
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(5)
        while connection.recv(4096):
            pass


def megabyte():
    with connect() as connection:
        connection.settimeout(left())
        connection.sendall(b"x" * 1_000_000)


def hundred():
    for connection in [connect() for _ in range(100)]:
        connection.close()


def datagrams():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for piece in (b"x" * 9000, b"{" * 1000, b'{"App":"x","GDL90":{"port":9}}', b'{"type":"GPS"}', b""):
            for datagram_port in datagram_ports:
                for _ in range(100):
                    sender.sendto(piece, ("127.0.0.1", datagram_port))


bodies = [stall, stall, flood, half_close, megabyte, hundred] + ([datagrams] if datagram_ports else [])
workers = [again(body) for body in bodies]
for worker in workers:
    worker.start()
is_over.wait(seconds)
is_over.set()
for worker in workers:
    worker.join(timeout=8)
print(" ".join(f"{name}: {count}" for name, count in sorted(done.items())))
began = time.monotonic()
while True:
    try:
        with connect() as connection:
            connection.settimeout(3)
            if b"\n" in connection.recv(4096):
                break
    except OSError:
        pass
    if time.monotonic() > began + 60:
        sys.exit("a peer that behaves gets nothing")
    # Clients of earlier rounds may not have left yet.
    time.sleep(0.05)
print(round((time.monotonic() - began) * 1000))
