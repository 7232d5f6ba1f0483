"""Every way in which a link is lost; LAB_REPEAT (default 1) times each. Goal: frames within 10 s of the radio's return."""
import random

from lab import *

GOAL = 10
REPEAT = int(os.environ.get("LAB_REPEAT", 1))
figures = {}
chance = random.Random(1)


def measure(name, broker, fault, cure=None):
    """Loses the link, brings the radio back, and takes the time from there to the next position."""
    times = []
    for _ in range(REPEAT):
        broker.position()
        fault()
        if cure:
            pause(chance.uniform(0, 10))  # So that the cure meets the gateway in each of its states.
            cure()
        broker.drain()
        since = now()
        broker.position(seconds=120)
        times.append(now() - since)
    times.sort()
    figures[name] = times
    print(f"  {name}: {len(times)} of {REPEAT} back, p50 {times[len(times) // 2]:.1f} s, worst {times[-1]:.1f} s",
          flush=True)


def scenario():
    air = Air()
    broker = Broker()
    receiver = Receiver()
    gateway = Gateway()
    lost = lambda seconds=20: broker.event("receiver_lost", seconds)

    def silent():
        """Until the gateway has given up a link that says nothing."""
        lost()
        pause(7)

    for reason in ("0x08", "0x13", "0x16", "0x22", "0x3b", "0x3d", "0x3e"):
        measure(f"link lost for reason {reason}", broker, lambda: (air.order(f"cut 0 1 {reason}"), lost()))
    measure("out of range for 2 s", broker, lambda: (air.order("apart 0 1"), lost(), pause(2)),
            lambda: air.order("together 0 1"))
    measure("out of range for 5 min", broker, lambda: (air.order("apart 0 1"), lost(), pause(300)),
            lambda: air.order("together 0 1"))
    measure("out of range for 0.2 s", broker,
            lambda: (air.order("apart 0 1"), pause(0.2), air.order("together 0 1")))
    measure("receiver hangs up", broker, lambda: (receiver.order("hang-up"), lost()))
    measure("connections fail while being made, for 30 s", broker,
            lambda: (air.order("refuse 0 1000"), air.order("cut 0 1"), lost(), pause(30)),
            lambda: air.order("refuse 0 0"))
    measure("receiver silent for 22 s", broker, lambda: (receiver.order("silence"), silent()),
            lambda: receiver.order("speak"))
    measure("receiver silent for 4 min", broker, lambda: (receiver.order("silence"), lost(), pause(225)),
            lambda: receiver.order("speak"))
    measure("receiver deaf for 30 s", broker, lambda: (receiver.order("deaf"), receiver.order("hang-up"), lost(), pause(30)),
            lambda: receiver.order("hear"))
    measure("receiver hidden for 60 s", broker, lambda: (receiver.order("hide"), receiver.order("hang-up"), lost(), pause(60)),
            lambda: receiver.order("show"))
    measure("adapter unplugged for 3 s", broker, lambda: (air.order("unplug 1"), lost(), pause(3)),
            lambda: air.order("plug 1"))
    measure("adapter unplugged for 5 min", broker, lambda: (air.order("unplug 1"), lost(), pause(300)),
            lambda: air.order("plug 1"))
    measure("adapter switched off", broker, lambda: (power(BOX, False), lost()))
    measure("adapter hangs for 30 s", broker, lambda: (air.order("hang 1"), lost(), pause(15)),
            lambda: air.order("wake 1"))
    measure("adapter hangs for 5 min", broker, lambda: (air.order("hang 1"), lost(), pause(285)),
            lambda: air.order("wake 1"))
    measure("receiver's power gone for 10 s", broker, lambda: (receiver.order("hide"), air.order("cut 0 1"), pause(10)),
            lambda: receiver.order("show"))

    slow = {name: times[-1] for name, times in figures.items() if times[-1] >= GOAL}
    require(not slow, f"slower than {GOAL} s: {slow}")
    require(gateway.stop() == 0, "the gateway does not stop cleanly")


run(scenario)
