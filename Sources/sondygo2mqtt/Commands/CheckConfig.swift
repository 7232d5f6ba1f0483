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
        writeLine("configuration ok")
        if let renamed = configuration.formerNamesText { writeLine("  renamed   \(renamed)") }
        writeLine("  topics    \(configuration.mqtt.baseTopic)/\(configuration.gateway.id)/…")
        writeLine(
            "  broker    \(configuration.mqtt.place)\(configuration.mqtt.usesTLS ? " with TLS" : "")"
        )
        writeLine("  client id \(configuration.clientID)")
        writeLine("  receiver  \(configuration.receiver.chosen.place)")
        for target in configuration.alerts.targets { writeLine("  alerts    to \(target.host)") }
        for (key, value) in configuration.explicit.sorted(by: { $0.key < $1.key }) {
            writeLine("  set: \(key) = \(ConfigurationKey.named(key)?.displayed(value) ?? value)")
        }
    }
}
