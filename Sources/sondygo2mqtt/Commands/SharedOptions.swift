import ArgumentParser
import FoundationEssentials
import GatewayRuntime
import Glibc
import Logging

/// Flags of all commands.
struct SharedOptions: ParsableArguments {
    @Option(help: "The configuration file (default: \(ConfigurationLoader.defaultPath), if it exists).")
    var config: String?

    @Option(name: .customLong("id"), help: "gateway.id: the topic level of this gateway (default: the host name).")
    var gatewayID: String?

    @Option(help: "gateway.log_level: debug, info, notice, warning or error.")
    var logLevel: String?

    @Option(help: "mqtt.host: the broker's host name, address or UNIX socket; several separated by commas.")
    var mqttHost: String?

    @Option(help: "mqtt.port: the broker's port.")
    var mqttPort: String?

    /// The given flags by configuration key.
    var flags: [String: (name: String, text: String)] {
        let given = [
            ("gateway.id", "--id", gatewayID), ("gateway.log_level", "--log-level", logLevel),
            ("mqtt.host", "--mqtt-host", mqttHost), ("mqtt.port", "--mqtt-port", mqttPort),
        ]
        return Self.table(given)
    }

    static func table(_ given: [(key: String, name: String, text: String?)]) -> [String: (name: String, text: String)] {
        var flags: [String: (name: String, text: String)] = [:]
        for flag in given { flags[flag.key] = flag.text.map { (flag.name, $0) } }
        return flags
    }

    /// - Parameter servesPage: whether the command serves the page, and so needs its key.
    func loader(
        _ more: [String: (name: String, text: String)] = [:], servesPage: Bool = false
    ) -> ConfigurationLoader {
        ConfigurationLoader(
            path: config, environment: ProcessInfo.processInfo.environment,
            flags: flags.merging(more) { _, new in new }, servesPage: servesPage)
    }

    /// Loads the configuration. If it is wrong, prints all problems and ends the process: with code 64 if a flag is
    /// wrong, else with 78.
    func load(_ loader: ConfigurationLoader) -> Configuration {
        do throws(ConfigurationLoader.Problems) {
            return try loader.load()
        } catch {
            CommandFailure(error.isUsage ? .usage : .configuration, error.description).exit()
        }
    }

    /// Sets up logging for the whole process.
    static func startLogging(_ level: Logger.Level) -> LogLevel {
        let shared = LogLevel(level)
        let isForJournal = getenv("JOURNAL_STREAM") != nil
        LoggingSystem.bootstrap { _ in JournalLogHandler(level: shared, isForJournal: isForJournal) }
        return shared
    }
}

/// Flags that choose the receiver.
struct ReceiverOptions: ParsableArguments {
    @Option(help: "receiver.transport: \(Configuration.Receiver.names.joined(separator: ", ")).")
    var transport: String?

    @Option(help: "receiver.address: the receiver's Bluetooth address.")
    var address: String?

    @Option(help: "receiver.adapter: hci0, 0 or the address of this box's Bluetooth adapter.")
    var adapter: String?

    @Option(help: "receiver.device: the serial device.")
    var device: String?

    @Option(help: "receiver.host: for tcp.")
    var receiverHost: String?

    @Option(help: "receiver.port: for tcp.")
    var receiverPort: String?

    var flags: [String: (name: String, text: String)] {
        SharedOptions.table([
            ("receiver.transport", "--transport", transport), ("receiver.device", "--device", device),
            ("receiver.address", "--address", address), ("receiver.adapter", "--adapter", adapter),
            ("receiver.host", "--receiver-host", receiverHost), ("receiver.port", "--receiver-port", receiverPort),
        ])
    }
}
