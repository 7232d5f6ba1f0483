"""Two receivers in range: the first that is heard serves, the other is told once; pinning chooses."""
from lab import *


def scenario():
    air = Air(3)
    broker = Broker()
    receivers = [Receiver("-n", "MySondyGo-ZERO", controller=0),
                 Receiver("-n", "MySondyGo-TWO", "-a", "700", controller=2)]

    step("the first one that is heard serves; the other is left alone and told once")
    gateway = Gateway("--adapter", "hci1")
    told = gateway.wait("another receiver is in range", 20)
    # The one that advertises less often may be heard first: that depends on when the scan begins.
    first, other = receivers if "MySondyGo-TWO" in told else reversed(receivers)
    serves(broker, first)
    require(other.count("connected") == 0, "both were connected")

    step("back to the first after a loss, though the other is nearer")
    air.order(f"strength 1 {other.controller} -20")
    air.order(f"cut {first.controller} 1")
    broker.event("receiver_online")
    require(other.count("connected") == 0, "it changed the receiver")
    require(gateway.count("another receiver is in range") == 1, "the other was told more than once")

    step("when the first is gone for good, the other serves")
    air.order(f"apart {first.controller} 1")
    broker.event("receiver_lost")
    serves(broker, other)
    gateway.stop()

    step("pinned by its address")
    air.order(f"together {first.controller} 1")
    gateway = Gateway("--adapter", "hci1", "--address", ADDRESS.format(first.controller))
    serves(broker, first)
    gateway.stop()


def serves(broker, receiver):
    address = ADDRESS.format(receiver.controller)
    broker.message("state", lambda body: body["receiver"]["address"] == address)
    broker.position()


run(scenario)
