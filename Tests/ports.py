#!/usr/bin/env python3
"""Draws free ports of this machine; as a program it prints one. Tests in Swift use `Broker.freePort`.

They lie below the ports that the kernel gives to clients, so no client can occupy one before its server starts. Each
process, also of another PID namespace, begins at another place, and gives no port twice."""
import itertools
import os
import socket

FIRST, COUNT = 12_000, 20_000
_next = itertools.count(os.getpid() * 97 + os.stat("/proc/self/ns/pid").st_ino * 1009)


def free_port():
    while True:
        port = FIRST + next(_next) % COUNT
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


if __name__ == "__main__":
    print(free_port())
