"""First contact: by name and by address, every profile, every way in which frames can come."""
from lab import *


def online(broker, **peer):
    """Frames flow, and the report `state` names the receiver."""
    state = broker.message("state", lambda body: body["link"] == "dataReady")
    for key, value in peer.items():
        require(state["receiver"][key] == value, f"receiver.{key} is {state['receiver'][key]}, not {value}")
    broker.position()


def connected(broker, receiver, gateway, **peer):
    """They are online; then both are stopped."""
    broker.drain()
    online(broker, **peer)
    leave(gateway, receiver)


def leave(gateway, receiver):
    require(gateway.stop() == 0, "the gateway does not stop cleanly")
    receiver.wait("disconnected", 5)
    receiver.stop()


def scenario():
    air = Air()
    broker = Broker()

    step("found by its name; frames of 100 bytes come whole; name, address and signal are told")
    air.order("strength 0 1 -71")
    receiver = Receiver()
    connected(broker, receiver, Gateway(), name="MySondyGo-TEST", address=ADDRESS.format(0), rssi_dbm=-71)
    forget()

    step("found by its service when its name is not heard")
    receiver = Receiver("-n", "")
    connected(broker, receiver, Gateway(), address=ADDRESS.format(0))

    step("the address last used is tried first: no scan needed, so no privilege")
    receiver = Receiver("-n", "another name")
    power(BOX, True)
    connected(broker, receiver, Gateway(prefix=as_nobody()), address=ADDRESS.format(0))
    forget()

    step("a static random address, found by name")
    receiver = Receiver("-s", "C0:FF:EE:00:00:01")
    connected(broker, receiver, Gateway(), address="C0:FF:EE:00:00:01")
    forget()

    step("pinned addresses, public and random, without any privilege")
    receiver = Receiver()
    gateway = Gateway("--address", ADDRESS.format(0), "--adapter", ADDRESS.format(1), prefix=as_nobody())
    connected(broker, receiver, gateway, address=ADDRESS.format(0))
    receiver = Receiver("-s", "C0:FF:EE:00:00:01")
    gateway = Gateway("--address", "C0:FF:EE:00:00:01", "--adapter", "hci1", prefix=as_nobody())
    connected(broker, receiver, gateway, address="C0:FF:EE:00:00:01")
    forget()

    step("without CAP_NET_ADMIN a scan is refused in a clear sentence, and retried; with it all is well")
    receiver = Receiver()
    gateway = Gateway(prefix=as_nobody())
    gateway.wait("scanning for a receiver needs CAP_NET_ADMIN", 20)
    power(BOX, False)
    gateway.wait("is off, and switching it on needs CAP_NET_ADMIN", 20)
    gateway.stop()
    connected(broker, receiver, Gateway(prefix=as_nobody("net_admin")))
    forget()

    step("Nordic UART profile, another name")
    receiver = Receiver("-p", "nordic", "-n", "Stratos-1234")
    gateway = Gateway(environment={"SONDYGO_RECEIVER_NAMES": "MySondy,stratos"})
    connected(broker, receiver, gateway, name="Stratos-1234")

    step("indications, and writes without response")
    receiver = Receiver("-x")
    gateway = Gateway()
    online(broker)
    broker.message("settings")
    leave(gateway, receiver)

    step("MTU refused, frames in pieces: says so, and takes them all")
    receiver = Receiver("-m", "23", "-k")
    gateway = Gateway()
    require("20 bytes" in broker.event("small_packets")["text"], "the event does not tell the size")
    heights = [broker.position()["altitude_m"] for _ in range(10)]
    require(heights == list(range(int(heights[0]), int(heights[0]) + 50, 5)), f"not every frame: {heights}")
    leave(gateway, receiver)

    step("MTU refused, frames cut: says so, and gives up the silent link")
    receiver = Receiver("-m", "23")
    gateway = Gateway()
    broker.event("small_packets")
    gateway.wait("no valid frame for 15 seconds", 20)
    leave(gateway, receiver)


run(scenario)
