import Glibc
import MosquittoClient

/// Which gateway a one-shot command asks: that of the configuration, or a simulation.
///
/// | flags | asked |
/// | --- | --- |
/// | `--mqtt-port` of a simulation's broker, or its `--id` | that simulation |
/// | none, while a gateway runs here or a broker is configured | the configuration's; says how to ask the simulation |
/// | none, otherwise | the newest simulation, else the configuration's |
enum AskedGateway {
    /// The configuration for asking it. If a simulation runs, says on standard error which of the two is asked.
    static func configuration(_ shared: SharedOptions) -> Configuration {
        let configuration = shared.load(shared.loader())
        if configuration.hidesSetup, configuration.explicit["mqtt.host"] == nil {
            tell("this user can't read the answers of setup; with sudo they count")
        }
        guard let simulation = simulations(shared, configuration).first else { return configuration }
        let isNamed = hasPort(of: simulation, configuration) || hasOwnID(of: simulation, shared)
        let isElsewhere =
            configuration.explicit["mqtt.host"] != nil || RunningGateway.isHere(configuration, file: shared.config)
        guard isNamed || !isElsewhere else {
            tell("asks the gateway at \(configuration.mqtt.place); for the simulation: --mqtt-port \(simulation.port)")
            return configuration
        }
        if !isNamed {
            tell("asks the simulation on port \(simulation.port); for another gateway: --mqtt-port or --config")
        }
        return simulation.asked(by: configuration)
    }

    /// The running simulations that the flags and the environment allow, the newest first.
    static func simulations(_ shared: SharedOptions, _ configuration: Configuration) -> [RunningSimulation] {
        let name = ConfigurationKey.named("gateway.state_directory")?.environmentName ?? ""
        let state = shared.loader().environment[name]
        return RunningSimulation.all.filter { simulation in
            if hasPort(of: simulation, configuration) { return true }
            guard shared.mqttHost == nil, shared.mqttPort == nil else { return false }
            if let file = shared.config, !simulation.hasFile(file) { return false }
            if let id = shared.gatewayID, id != simulation.id { return false }
            return state.map { $0 == simulation.stateDirectory } ?? true
        }
    }

    private static func hasPort(of simulation: RunningSimulation, _ configuration: Configuration) -> Bool {
        configuration.explicit["mqtt.port"] == "\(simulation.port)"
            && configuration.mqtt.brokers.allSatisfy { ["localhost", "127.0.0.1", "::1"].contains($0.host) }
    }

    /// Whether `--id` names the simulation, and not the configuration's own gateway.
    private static func hasOwnID(of simulation: RunningSimulation, _ shared: SharedOptions) -> Bool {
        guard shared.gatewayID == simulation.id else { return false }
        var plain = shared
        plain.gatewayID = nil
        return (try? plain.loader().load())?.gateway.id != simulation.id
    }

    static func tell(_ text: String) { writeLine("sondygo2mqtt: \(text)", to: STDERR_FILENO) }
}
