"""bluetoothd on the same adapter: discovering, connected, restarted, killed."""
from lab import *

BUS = ["dbus-send", "--system", "--print-reply", "--dest=org.bluez"]
ADAPTER = "/org/bluez/hci1"
DEVICE = ADAPTER + "/dev_" + ADDRESS.format(0).replace(":", "_")


class Daemon(Lines):
    def __init__(self):
        super().__init__("bluetoothd", ["/usr/libexec/bluetooth/bluetoothd", "-n", "-d"])
        # bluetoothd's message about an adapter that it has switched on. First it reads files of the machine outside.
        # The guest's clock runs ahead of a slow disk there, so the limit is long.
        self.wait("hci1.*|adapter.*enabled|Controller.*1", 900)


def call(path, method, *arguments):
    subprocess.run([*BUS, path, method, *arguments], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=120)


def scenario():
    os.makedirs("/run/dbus", exist_ok=True)
    subprocess.run(["dbus-daemon", "--system", "--fork", "--nopidfile"], check=True)
    air = Air()
    broker = Broker()
    daemon = Daemon()
    receiver = Receiver()

    step("found while bluetoothd looks after the adapter")
    gateway = Gateway()
    broker.position()
    gateway.stop()
    forget()
    pause(3)

    step("found while bluetoothd is discovering itself")
    watcher = subprocess.Popen(["bluetoothctl", "--timeout", "60", "scan", "on"], stdout=subprocess.DEVNULL)
    pause(2)
    gateway = Gateway()
    broker.position()
    watcher.kill()

    step("bluetoothd disconnects the receiver: back again")
    call(DEVICE, "org.bluez.Device1.Disconnect")
    broker.event("receiver_lost")
    broker.position()

    step("bluetoothd stopped and started: it switches the adapter off")
    daemon.stop()
    broker.event("receiver_lost")
    daemon = Daemon()
    broker.event("receiver_online", 20)

    step("bluetoothd stopped for good: the gateway switches the adapter on")
    daemon.stop()
    broker.event("receiver_lost")
    broker.event("receiver_online", 20)

    step("bluetoothd started beside an open link, and killed: not one frame lost")
    broker.position()
    before = len(broker.altitudes())
    daemon = Daemon()
    pause(5)
    daemon.stop(signal.SIGKILL)
    pause(5)
    heights = broker.altitudes()[before - 1:]
    require(len(heights) > 8 and all(b - a == 5 for a, b in zip(heights, heights[1:])), f"a gap in {heights}")
    gateway.stop()

    step("bluetoothd holds the receiver: it is taken from it")
    pause(3)
    daemon = Daemon()
    watcher = subprocess.Popen(["bluetoothctl", "--timeout", "5", "scan", "on"], stdout=subprocess.DEVNULL)
    watcher.wait()
    call(DEVICE, "org.bluez.Device1.Connect")
    receiver.drain()
    gateway = Gateway("--address", ADDRESS.format(0))
    broker.position()
    require(gateway.stop() == 0, "the gateway does not stop cleanly")


run(scenario)
