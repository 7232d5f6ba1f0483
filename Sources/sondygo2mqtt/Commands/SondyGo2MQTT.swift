import ArgumentParser
import Gateway

struct SondyGo2MQTT: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sondygo2mqtt",
        abstract: "Relays a MySondyGo radiosonde receiver to MQTT.",
        discussion: """
            Try it without a receiver and without a broker:  sondygo2mqtt simulate
            Which receivers are in Bluetooth range?          sondygo2mqtt scan
            What differs on this box?                        sondygo2mqtt setup
            What is wrong with this box?                     sondygo2mqtt doctor
            What is wrong with my configuration?             sondygo2mqtt check-config
            What does the sonde do?                          sondygo2mqtt status
            Which sondes are around?                         sondygo2mqtt sondes
            Which flights are recorded?                      sondygo2mqtt flights
            How far does the receiver hear?                  sondygo2mqtt coverage
            Roads for the map, before the chase:             sondygo2mqtt maps fetch --around 47.1,7.4 --km 40
            With a receiver on its USB cable:                sondygo2mqtt run --transport serial --device /dev/ttyUSB0
            """,
        version: Version.current,
        subcommands: [
            Run.self, Setup.self, Scan.self, Doctor.self, CheckConfig.self, Simulate.self, Replay.self, Send.self,
            Status.self, Sondes.self, Flights.self, Export.self, Coverage.self, Maps.self, Forget.self,
            Board.self,
        ],
        defaultSubcommand: Run.self)

    /// The complaint about an unknown command name; nil if the name is known or missing (`run` is the default).
    static func complaint(about arguments: [String]) -> String? {
        guard let name = arguments.first, !name.hasPrefix("-") else { return nil }
        let names = configuration.subcommands.map { $0._commandName } + ["help"]
        guard !names.contains(name) else { return nil }
        let near = names.map { (name: $0, distance: name.lowercased().editDistance(to: $0)) }
            .min { $0.distance < $1.distance }
        let guess = near.flatMap { $0.distance <= max(1, $0.name.count / 3) ? "; did you mean \"\($0.name)\"?" : nil }
        return """
            there is no command "\(name.prefix(40))"\(guess ?? "")
            commands: \(names.joined(separator: ", "))
            "sondygo2mqtt --help" tells what they do
            """
    }
}
