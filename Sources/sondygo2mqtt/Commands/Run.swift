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
        // A limit of a file's size is the store's error, and no end of the program.
        signal(SIGXFSZ, SIG_IGN)
        if let fault = AddressSpace.fault { CommandFailure(.configuration, fault).exit() }
        do {
            try await run()
            if restart.isPending { await startAnew() }
        } catch let failure as CommandFailure {
            failure.exit()
        } catch let failure as TransportError {
            CommandFailure(.unavailable, failure.detail).exit()
        } catch {
            CommandFailure(.unavailable, "\(error)").exit()
        }
    }

    /// Runs the program again after `setup` in the browser. If the car's name or its broker has changed, what the
    /// gateway left under the old one is removed first: else Home Assistant keeps a dead device.
    private func startAnew() async {
        let old = configuration
        if let new = try? loader.load(),
            new.gateway.id != old.gateway.id || new.mqtt.baseTopic != old.mqtt.baseTopic
                || new.mqtt.place != old.mqtt.place
        {
            // Without an answer it stays there; `sondygo2mqtt forget` removes it.
            await within(.seconds(5), or: ()) { _ = try? await BrokerCleanup(old).run() }
        }
        RestartRequest.runAgain()
        CommandFailure(.unavailable, "can't start anew: \(String(cString: strerror(errno)))").exit()
    }

    /// Like ``runOrExit()``, but with a private broker if there is none to use, and with the page on a free port if
    /// another program has its port.
    func runWithBroker() async {
        var gateway = self
        var broker: PrivateBroker?
        do throws(CommandFailure) {
            if needsPrivateBroker { broker = try PrivateBroker() }
            if LoopbackPort.accepts(UInt16(clamping: configuration.dashboard.port)) {
                gateway.configuration.dashboard.port = try LoopbackPort.free()
            }
        } catch {
            error.exit()
        }
        if let broker { gateway.use(broker) }
        let page = gateway.configuration
        let told = Task {
            if page.dashboard.isEnabled { await Self.tellPage(page.dashboardOptions.url, page.dashboard.port) }
        }
        writeLine("Ctrl-C ends \(broker == nil ? "it" : "both").")
        await gateway.runOrExit()
        told.cancel()
        broker?.stop()
    }

    /// Whether no broker is configured, or only that of the gateway that runs here: under the same name a simulation
    /// would take that gateway's session and topics.
    private var needsPrivateBroker: Bool {
        let keys = ["mqtt.host", "mqtt.port"]
        guard keys.contains(where: { configuration.explicit[$0] != nil }) else { return true }
        var plain = loader
        plain.flags = [:]
        guard keys.allSatisfy({ loader.flags[$0] == nil }), let service = try? plain.load() else { return false }
        return service.gateway.id == configuration.gateway.id && RunningGateway.isHere(service, file: loader.path)
    }

    /// Uses a private broker, and says how other programs reach it.
    private mutating func use(_ broker: PrivateBroker) {
        if configuration.explicit["mqtt.host"] != nil {
            let place = configuration.mqtt.place
            writeLine("A gateway named \(configuration.gateway.id) runs here with the broker \(place).")
            writeLine("To simulate there: --mqtt-host \(place) --id simulated")
        }
        configuration.usePrivateBroker(port: broker.port)
        let (base, id) = (configuration.mqtt.baseTopic, configuration.gateway.id)
        RunningSimulation(
            port: broker.port, baseTopic: base, id: id, stateDirectory: showDirectory, file: loader.path
        ).tell()
        writeLine("A private broker listens on 127.0.0.1:\(broker.port). Try in other terminals:")
        writeLine("  mosquitto_sub -p \(broker.port) -v -t '\(base)/#'")
        writeLine("  mosquitto_pub -p \(broker.port) -t \(base)/\(id)/command -m '{\"mute\":true}'")
        writeLine("  sondygo2mqtt status --mqtt-port \(broker.port)")
    }

    /// Prints the page's address as soon as the page listens.
    private static func tellPage(_ url: String, _ port: Int) async {
        while !LoopbackPort.accepts(UInt16(clamping: port)) {
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
        writeLine("The page in the car: \(url)")
    }
}
