import ArgumentParser

@main
struct SondyGo2MQTT: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sondygo2mqtt",
        abstract: "Relays a MySondyGo radiosonde receiver to MQTT.",
        discussion: """
            Try it without a receiver and without a broker:  sondygo2mqtt simulate
            Which receivers are in Bluetooth range?          sondygo2mqtt scan
            What is wrong with this box?                     sondygo2mqtt doctor
            What is wrong with my configuration?             sondygo2mqtt check-config
            With a receiver on its USB cable:                sondygo2mqtt run --transport serial --device /dev/ttyUSB0
            """,
        version: Version.current,
        subcommands: [Run.self, Scan.self, Doctor.self, CheckConfig.self, Simulate.self, Replay.self, Send.self],
        defaultSubcommand: Run.self)
}
