"""An hour of frames, one a second: none is lost; what it costs."""
from lab import *

FRAMES = int(os.environ["LAB_FRAMES"])


def scenario():
    air = Air()
    broker = Broker()
    receiver = Receiver()
    gateway = Gateway(environment={"SONDYGO_GATEWAY_LOG_LEVEL": "info"})
    broker.position()
    pause(30)
    begin, cpu, wakes = now(), *(gateway.usage()[i] for i in (0, 3))
    files = gateway.files()
    heights = []
    for rest in range(FRAMES, 0, -3600):
        heights += broker.altitudes()
        broker.forget()
        pause(min(rest, 3600))
    elapsed = now() - begin
    cpu_end, resident, anonymous, wakes_end = gateway.usage()
    heights += broker.altitudes()
    require(len(heights) >= FRAMES, f"only {len(heights)} positions")
    # After 7000 frames the simulated receiver starts again at the bottom.
    require(all((b - a) % 35_000 == 5 for a, b in zip(heights, heights[1:])), "a frame is missing")
    print(f"  {len(heights)} frames, none lost; {cpu_end - cpu:.2f} s CPU in {elapsed:.0f} s, {resident:.1f} MB resident, "
          f"{anonymous:.1f} MB anonymous, {files} then {gateway.files()} open files, {(wakes_end - wakes) / elapsed:.1f} wake-ups a second")
    require(anonymous <= 8 and resident <= 45, "too much memory")
    require(gateway.stop() == 0, "the gateway does not stop cleanly")


run(scenario)
