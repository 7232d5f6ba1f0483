"""A relay to a broker whose socket fills: stall.py BROKER_PORT. Prints its own port.

SIGUSR1 stops reading from the client, so that its messages fill small buffers. SIGUSR2 goes on.
"""

import select
import signal
import socket
import sys

stalled = False


def stall(on):
    global stalled
    stalled = on


signal.signal(signal.SIGUSR1, lambda *_: stall(True))
signal.signal(signal.SIGUSR2, lambda *_: stall(False))
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
clients, brokers = {}, {}
while True:
    readable = brokers if stalled else [*brokers, *clients]
    for end in select.select([listener, *readable], [], [], 0.05)[0]:
        if end is listener:
            client = listener.accept()[0]
            broker = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            clients[client], brokers[broker] = broker, client
            continue
        other = clients.get(end) or brokers.get(end)
        if other is None:
            continue
        try:
            data = end.recv(65536)
            other.sendall(data)
        except OSError:
            data = b""
        if not data:
            for gone in (end, other):
                clients.pop(gone, None)
                brokers.pop(gone, None)
                gone.close()
