"""First contact: by name, by address, by every profile, and what comes through."""
from lab import *


def scenario():
    air = Air()
    broker = Broker()

    step("found by its name, frames of 100 bytes whole")
    receiver = Receiver()
    gateway = Gateway()
    position = broker.position()
    print(position)
    for line in gateway.seen: print(line)


run(scenario)
