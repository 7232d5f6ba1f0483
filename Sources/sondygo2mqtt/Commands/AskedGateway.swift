import Glibc

/// Which gateway a one-shot command asks: the service, or a simulation if only that runs.
enum AskedGateway {
    /// The configuration for asking it. If a simulation runs, says on standard error which of the two is asked.
    static func configuration(_ shared: SharedOptions) -> Configuration {
        let configuration = shared.load(shared.loader())
        if configuration.hidesSetup, configuration.explicit["mqtt.host"] == nil {
            tell("this user can't read the answers of setup; with sudo they count")
        }
        let keys = ["mqtt.host", "mqtt.port", "gateway.state_directory"]
        let isNamed =
            shared.config != nil || shared.gatewayID != nil
            || keys.contains { configuration.explicit[$0] != nil }
        guard !isNamed, let simulation = RunningSimulation.newest else { return configuration }
        guard InstalledService.present?.isRunning != true else {
            tell("asks the service; for the simulation: --mqtt-port \(simulation.port) --id \(simulation.id)")
            return configuration
        }
        tell("asks the simulation on port \(simulation.port); for another gateway: --mqtt-port or --config")
        var simulated = configuration
        simulated.mqtt.hosts = ["127.0.0.1"]
        simulated.mqtt.port = simulation.port
        simulated.mqtt.baseTopic = simulation.baseTopic
        simulated.gateway.id = simulation.id
        simulated.gateway.stateDirectory = simulation.stateDirectory
        (simulated.mqtt.username, simulated.password, simulated.mqtt.usesTLS) = (nil, nil, false)
        return simulated
    }

    private static func tell(_ text: String) { writeLine("sondygo2mqtt: \(text)", to: STDERR_FILENO) }
}
