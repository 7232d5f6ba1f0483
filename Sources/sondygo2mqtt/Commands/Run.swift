import ArgumentParser
import Dashboard
import GatewayReports
import Glibc

struct Run: GatewayCommand {
    static let configuration = CommandConfiguration(
        abstract: "Relay the receiver to the broker until stopped (default).",
        discussion: """
            A receiver or a broker that is away is waited for. SIGTERM or Ctrl-C stops cleanly, SIGHUP reads the \
            configuration again.
            """)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var receiver: ReceiverOptions

    func run() async throws {
        // A SIGHUP before `ReloadService` starts must not end the program.
        signal(SIGHUP, SIG_IGN)
        let loader = shared.loader(receiver.flags, servesPage: true)
        let configuration = shared.load(loader)
        let level = SharedOptions.startLogging(configuration.gateway.logLevel)
        await Composition(configuration: configuration, loader: loader, logLevel: level).runOrExit()
    }
}

extension Composition {
    /// Runs the gateway. A failure ends the process with a message and its exit code.
    func runOrExit() async {
        do {
            try await run()
        } catch let failure as CommandFailure {
            failure.exit()
        } catch let failure as TransportError {
            CommandFailure(.unavailable, failure.detail).exit()
        } catch {
            CommandFailure(.unavailable, "\(error)").exit()
        }
    }

    /// Like ``runOrExit()``, but with a private broker if the configuration names none.
    func runWithBroker() async {
        guard configuration.explicit["mqtt.host"] == nil else { return await runOrExit() }
        let broker: PrivateBroker
        do throws(CommandFailure) {
            broker = try PrivateBroker()
        } catch {
            error.exit()
        }
        var gateway = self
        gateway.configuration.mqtt.hosts = ["127.0.0.1"]
        gateway.configuration.mqtt.port = broker.port
        let prefix = "\(configuration.mqtt.baseTopic)/\(configuration.gateway.id)"
        writeLine("A private broker listens on 127.0.0.1:\(broker.port). Try in other terminals:")
        writeLine("  mosquitto_sub -p \(broker.port) -v -t '\(configuration.mqtt.baseTopic)/#'")
        writeLine("  mosquitto_pub -p \(broker.port) -t \(prefix)/command -m '{\"mute\":true}'")
        if configuration.dashboard.isEnabled {
            writeLine("The page in the car: \(configuration.dashboardOptions.url)")
        }
        writeLine("Ctrl-C ends both.")
        await gateway.runOrExit()
        broker.stop()
    }
}
