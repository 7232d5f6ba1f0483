"""`scan` and `doctor`, as a user meets them."""
from lab import *


def ask(*command, prefix=[]):
    """Runs the program to its end: status and lines."""
    program = Gateway("--adapter", "hci1", command=list(command), stream="stdout", prefix=prefix)
    status = program.process.wait(120)
    program.drain()
    return status, program.seen


def scenario():
    air = Air(3)
    air.order("strength 1 2 -80")
    Receiver("-n", "MySondyGo-ONE")
    Receiver("-n", "Stratos-1", "-p", "nordic", "-s", "C0:FF:EE:00:00:01", controller=2)

    step("scan: the receivers in range")
    status, lines = ask("scan", "--seconds", "8")
    require(status == 0 and len(lines) == 3, f"{status}: {lines}")
    require(lines[0].startswith("hci1: Virtual, Bluetooth "), lines[0])
    require(re.fullmatch(r"00:AA:5E:00:00:00  MySondyGo-ONE  -60 dBm  MySondyGo  [0-4] s ago", lines[2]), lines[2])

    step("scan --all --json: every device, once")
    status, lines = ask("scan", "--seconds", "5", "--all", "--json")
    devices = json.loads(lines[0])
    require([device["name"] for device in devices] == ["MySondyGo-ONE", "Stratos-1"], lines[0])
    require(devices[1].items() >= {"address": "C0:FF:EE:00:00:01", "address_type": "random", "rssi_dbm": -80,
                                   "profile": "Nordic UART"}.items(), lines[0])

    step("scan without the privilege: says so, exit 69")
    require(ask("scan", prefix=as_nobody())[0] == 69, "not refused")

    step("doctor: all is well but the broker that is not there")
    status, lines = ask("doctor")
    require(status == 1 and [line for line in lines if line.startswith("WRONG")] ==
            [line for line in lines if line.split()[1] == "broker"], f"{status}: {lines}")
    broker = Broker()
    status, lines = ask("doctor")
    # The guest has no gpsd and no set clock: both are notes, not errors.
    parts = {line.split()[1]: line.split()[0] for line in lines}
    require(status == 0 and set(parts.values()) == {"ok", "note"}, f"{status}: {lines}")
    require(parts.keys() >= {"kernel", "adapter", "permission", "broker", "state", "page"}, f"{lines}")
    require(re.search(r"has Bluetooth, management interface 1\.\d+$", lines[0]), lines[0])

    step("doctor without the privilege: the line to run")
    status, lines = ask("doctor", prefix=as_nobody())
    require(status == 1 and any("sudo setcap cap_net_admin+ep /" in line for line in lines), f"{status}: {lines}")
    status, lines = ask("doctor", "--address", ADDRESS.format(0), prefix=as_nobody())
    require(status == 0, f"{status}: {lines}")

    step("doctor with the adapter off, and without any")
    power(BOX, False)
    status, lines = ask("doctor", prefix=as_nobody())
    require(any("is off; run: bluetoothctl power on" in line for line in lines), f"{status}: {lines}")
    air.order("unplug 1")
    status, lines = ask("doctor")
    require(status == 1 and any("no Bluetooth adapter hci1" in line for line in lines), f"{status}: {lines}")


run(scenario)
