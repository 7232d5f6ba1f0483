import ArgumentParser

@main
struct SondyGo2MQTT: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sondygo2mqtt",
        abstract: "Relays a MySondyGo radiosonde receiver to MQTT.",
        discussion: """
            Try it without a receiver and without a broker:  sondygo2mqtt simulate
            With a receiver on its USB cable:                sondygo2mqtt run --device /dev/ttyUSB0
            What is wrong with my configuration?             sondygo2mqtt check-config
            """,
        version: Version.current,
        subcommands: [Run.self, CheckConfig.self, Simulate.self, Replay.self, Send.self],
        defaultSubcommand: Run.self)
}
