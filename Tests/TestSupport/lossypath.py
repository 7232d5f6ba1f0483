#!/usr/bin/env python3
"""Runs a program and a broker on two machines (network namespaces) between which a path loses packets.

  lossypath.py RULE PROGRAM ARGUMENT...

The broker has the address 10.9.0.2. Prints what the program prints, `broker: TOPIC SIZE` for each message that arrives,
`position: TIME PAYLOAD` for each live position, with the time of its arrival, and `device: TIME` for Home Assistant's. Ends with the program, with its exit
code. Needs root and /dev/net/tun.

RULE   large:BYTES   packets with more bytes are lost in both directions, and nobody is told
       rate:BYTES    so many bytes a second pass to the broker; a queue of 3 s or a packet waits, the rest is lost
       dead:SECONDS  after this time all packets are lost
       good          nothing is lost
"""

import collections
import ctypes
import fcntl
import os
import pathlib
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
LIBC = ctypes.CDLL(None, use_errno=True)


def machine(address):
    """Enters a new network namespace with one device, and returns the device's descriptor."""
    if LIBC.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"path", IFF_TUN | IFF_NO_PI))
    for command in (f"addr add {address}/24 dev path", "link set lo up", "link set path up"):
        subprocess.run(["ip", *command.split()], check=True)
    return tun


class Path:
    """The packets from one machine to the other."""

    def __init__(self, source, target, lose, rate=None):
        self.source, self.target, self.lose, self.rate = source, target, lose, rate
        self.queue, self.bytes, self.free = collections.deque(), 0, 0.0

    def take(self, now):
        packet = os.read(self.source, 65536)
        if self.lose(packet):
            return
        if self.rate is None:
            os.write(self.target, packet)
        elif not self.queue or self.bytes + len(packet) <= 3 * self.rate:
            # An empty queue takes a packet that needs longer than 3 s. As on a serial line: a packet arrives when its last byte has passed.
            self.free = max(self.free, now) + len(packet) / self.rate
            self.queue.append((self.free, packet))
            self.bytes += len(packet)

    def send(self, now):
        """Sends what is due, and returns the time until the next packet; None without one."""
        while self.queue and self.queue[0][0] <= now:
            _, packet = self.queue.popleft()
            self.bytes -= len(packet)
            os.write(self.target, packet)
        return self.queue[0][0] - now if self.queue else None


def forward(paths):
    while True:
        now = time.monotonic()
        waits = [wait for wait in (path.send(now) for path in paths) if wait is not None]
        ready, _, _ = select.select([path.source for path in paths], [], [], max(0, min(waits, default=1)))
        for path in paths:
            if path.source in ready:
                path.take(time.monotonic())


def main():
    kind, _, value = sys.argv[1].partition(":")
    value = float(value or 0)
    far = machine("10.9.0.2")
    configuration = pathlib.Path(tempfile.mkdtemp()) / "mosquitto.conf"
    configuration.write_text("user root\nlistener 1883 10.9.0.2\nallow_anonymous true\npersistence false\n")
    children = [subprocess.Popen(["mosquitto", "-c", str(configuration)], stderr=subprocess.DEVNULL)]
    time.sleep(0.5)
    for topic, line in (("#", "broker: %t %l"), ("+/+/position", "position: %U %p"), ("homeassistant/#", "device: %U")):
        children.append(subprocess.Popen(["mosquitto_sub", "-h", "10.9.0.2", "-t", topic, "-F", line]))
    near = machine("10.9.0.1")
    program = subprocess.Popen(sys.argv[2:])
    children.append(program)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: program.send_signal(number))
    began = time.monotonic()
    lose = {
        "large": lambda packet: len(packet) > value,
        "dead": lambda packet: time.monotonic() - began > value,
    }.get(kind, lambda packet: False)
    paths = [Path(near, far, lose, value if kind == "rate" else None), Path(far, near, lose)]
    threading.Thread(target=forward, args=(paths,), daemon=True).start()
    code = program.wait()
    for child in children[:-1]:
        child.kill()
    sys.exit(code if code >= 0 else 128 - code)


main()
