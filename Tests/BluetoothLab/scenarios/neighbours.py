"""Two receivers in range: the first that is heard serves, the other is told once; pinning chooses."""
from lab import *


def scenario():
    air = Air(3)
    broker = Broker()
    first = Receiver("-n", "MySondyGo-ONE", controller=0)
    second = Receiver("-n", "MySondyGo-TWO", "-a", "700", controller=2)

    step("the first one that is heard serves; the other is left alone and told once")
    gateway = Gateway("--adapter", "hci1")
    gateway.wait("another receiver is in range.*MySondyGo-TWO", 20)
    broker.message("state", lambda body: body["receiver"]["name"] == "MySondyGo-ONE")
    broker.position()
    require(second.count("connected") == 0, "both were connected")

    step("back to the first after a loss, though the other is nearer")
    air.order("strength 1 2 -20")
    air.order("cut 0 1")
    broker.event("receiver_online")
    require(second.count("connected") == 0, "it changed the receiver")
    require(gateway.count("another receiver is in range") == 1, "the other was told more than once")

    step("when the first is gone for good, the other serves")
    air.order("apart 0 1")
    broker.event("receiver_lost")
    broker.message("state", lambda body: body["receiver"]["name"] == "MySondyGo-TWO")
    broker.position()
    gateway.stop()

    step("pinned by its address")
    air.order("together 0 1")
    gateway = Gateway("--adapter", "hci1", "--address", ADDRESS.format(0))
    broker.message("state", lambda body: body["receiver"]["address"] == ADDRESS.format(0))
    broker.position()
    gateway.stop()


run(scenario)
