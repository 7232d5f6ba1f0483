"""The adapter's own life: not there at start, wanted by another name, without privilege, hostile neighbours."""
from lab import *


def scenario():
    broker = Broker()
    step("no adapter: a clear sentence, and retried")
    gateway = Gateway("--adapter", "hci1")
    gateway.wait("no Bluetooth adapter hci1; there are none", 20)
    air = Air()
    receiver = Receiver()
    broker.position()
    gateway.stop()

    step("an adapter that is not there is named with those that are")
    gateway = Gateway("--adapter", "AA:BB:CC:DD:EE:FF")
    gateway.wait(f"no Bluetooth adapter AA:BB:CC:DD:EE:FF; there are hci1 .{ADDRESS.format(1)}., hci0 ", 20)
    gateway.stop()

    step("switched off in the middle of a link, and off at the start")
    power(BOX, False)
    gateway = Gateway()
    broker.position()
    power(BOX, False)
    broker.event("receiver_lost")
    broker.position()

    step("unplugged and plugged in again while scanning")
    receiver.order("hide")
    receiver.order("hang-up")
    broker.event("receiver_lost")
    pause(15)
    air.order("unplug 1")
    pause(20)
    air.order("plug 1")
    receiver.order("show")
    broker.position()

    step("blocked by rfkill: says what to run")
    subprocess.run(["sh", "-c", "for d in /sys/class/rfkill/*; do "
                    "[ \"$(cat $d/name)\" = hci1 ] && echo 1 > $d/soft; done; true"], check=True)
    broker.event("receiver_lost")
    gateway.wait("rfkill unblock bluetooth", 30)
    subprocess.run(["sh", "-c", "for d in /sys/class/rfkill/*; do echo 0 > $d/soft; done"], check=True)
    broker.position()

    step("packets that make no sense, requests, floods: the link stands, nothing is lost")
    broker.drain()
    before = len(broker.altitudes())
    for pdu in ("1b", "1b2a", "1bffff41", "01", "0102", "03", "0317", "1d2a0041", "00", "ff", "52aabb", "0210",
                "020002", "0a0100", "1201000000", "10010000ff0028", "1e", "13", "1b2a00" + "41" * 300):
        receiver.order("pdu " + pdu)
    for _ in range(200):
        receiver.order("pdu 0a0100")
    pause(5)
    heights = broker.altitudes()[before - 1:]
    require(len(heights) > 3 and all(b - a == 5 for a, b in zip(heights, heights[1:])), f"a gap in {heights}")
    require(gateway.stop() == 0, "the gateway does not stop cleanly")


run(scenario)
