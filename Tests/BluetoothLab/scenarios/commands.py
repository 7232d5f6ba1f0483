"""Commands over the air, confirmed by the receiver; and every way to end the gateway."""
from lab import *


def scenario():
    air = Air()
    broker = Broker()
    receiver = Receiver()
    gateway = Gateway()
    broker.message("settings")
    broker.position()

    def confirmed(command, written):
        broker.command(json.dumps(command))
        answer = broker.message("command/response", lambda body: body["final"])
        require(answer["status"] == "confirmed", f"{command}: {answer}")
        require(receiver.count(re.escape(written)) > 0, f"{command} was not written as {written}")

    step("tune, mute and settings are confirmed by the receiver's own frames")
    confirmed({"frequency": 404.2, "type": "M10"}, "o{f=404.20/tipo=3}o")
    broker.message("radio", lambda body: body["frequency_mhz"] == 404.2 and body["sonde_type"] == "M10")
    confirmed({"mute": True}, "o{mute=1}o")
    confirmed({"settings": {"rs41.rxbw": 9, "myCall": "HB9XYZ"}}, "o{")
    settings = broker.bodies("settings")[-1]
    require(settings["callsign"] == "HB9XYZ" and settings["rs41_rxbw"] == 9, f"not in the settings: {settings}")

    step("SIGTERM: stops within 5 s, the receiver advertises at once")
    broker.position()
    gateway.process.terminate()
    receiver.wait("disconnected", 1)
    gateway.wait("sondygo2mqtt stopped", 5)
    require(gateway.ended() == 0, "the gateway does not stop cleanly")
    broker.message("bridge/state", lambda body: body == "offline")

    step("SIGTERM while it waits for a receiver that is not there")
    receiver.order("hide")
    gateway = Gateway()
    gateway.wait("broker connected", 20)
    pause(3)
    require(gateway.stop() == 0, "the gateway does not stop cleanly")
    receiver.order("show")

    step("kill -9 while connected, and a new start at once")
    for _ in range(3):
        gateway = Gateway()
        broker.position()
        gateway.stop(signal.SIGKILL)
    gateway = Gateway()
    broker.position(seconds=15)
    gateway.stop(signal.SIGKILL)

    step("the same without privilege: the old link is left to run out")
    receiver.wait("disconnected", 10)
    power(BOX, True)
    for _ in range(3):
        gateway = Gateway("--address", ADDRESS.format(0), prefix=as_nobody())
        broker.position(seconds=15)
        gateway.stop(signal.SIGKILL)
    gateway = Gateway("--address", ADDRESS.format(0), prefix=as_nobody())
    broker.position(seconds=15)
    require(gateway.stop() == 0, "the gateway does not stop cleanly")


run(scenario)
