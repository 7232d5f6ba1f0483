import Alerts
import ArgumentParser
import Gateway
import MosquittoClient

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the configuration, and print what would be used.",
        discussion: "Exits with 78 and a line for every problem if there are any.")

    @OptionGroup var shared: SharedOptions
    @OptionGroup var receiver: ReceiverOptions

    func run() throws {
        let configuration = shared.load(shared.loader(receiver.flags))
        do throws(BrokerFailure) {
            _ = try MosquittoClient(
                MosquittoConfiguration(configuration, clientID: configuration.clientID, topics: nil))
        } catch {
            CommandFailure(.configuration, "mqtt: \(error)").exit()
        }
        let receiver = configuration.receiver
        let source =
            switch receiver.transport {
            case .ble:
                "ble, adapter \(receiver.adapter), "
                    + (receiver.address.map { "address \($0)" } ?? "names \(receiver.names.joined(separator: ", "))")
            case .serial: "serial \(receiver.device) at \(receiver.baud) baud"
            case .tcp: "tcp \(receiver.host):\(receiver.port)"
            case .replay: "replay \(receiver.file ?? "")"
            case .simulator: "simulator, seed \(receiver.seed)"
            }
        writeLine("configuration ok")
        if let renamed = configuration.formerNamesText { writeLine("  renamed   \(renamed)") }
        writeLine("  topics    \(configuration.mqtt.baseTopic)/\(configuration.gateway.id)/…")
        writeLine(
            "  broker    \(configuration.mqtt.place)\(configuration.mqtt.usesTLS ? " with TLS" : "")"
        )
        writeLine("  client id \(configuration.clientID)")
        writeLine("  receiver  \(source)")
        for target in configuration.alerts.targets { writeLine("  alerts    to \(target.host)") }
        for (key, value) in configuration.explicit.sorted(by: { $0.key < $1.key }) {
            writeLine("  set: \(key) = \(ConfigurationKey.named(key)?.displayed(value) ?? value)")
        }
    }
}
