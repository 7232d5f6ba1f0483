import Foundation
import TestSupport
import Testing

/// `sondygo2mqtt forget` removes all that a gateway has left on the broker.
@Suite(.timeLimit(.minutes(10))) struct ForgetTests {
    private func gateway(_ broker: Broker) throws -> Child {
        try GatewayProgram.start(
            ["run", "--transport", "simulator", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"],
            environment: ["SONDYGO_FEEDS_OWNTRACKS_ENABLED": "true", "SONDYGO_HOMEASSISTANT_ENABLED": "true"])
    }

    private func forget(_ broker: Broker) async throws -> (code: Int32, text: String) {
        let child = try GatewayProgram.start(
            ["forget", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"])
        let code = try await child.exitCode()
        return (code, child.text)
    }

    /// The retained topics that the broker sends to a new client.
    private func retained(_ broker: Broker) async throws -> Set<String> {
        let child = try Child(
            "mosquitto_sub", ["-p", "\(broker.port)", "-t", "#", "-F", "%t", "--retained-only", "-W", "2"])
        _ = try await child.exitCode()
        return Set(child.lines.filter { !$0.hasPrefix("Timed out") })
    }

    @Test func nothingIsLeft() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port, topic: "#")
        try publish(port: broker.port, topic: "sondygo/other/state", "{}", more: ["-r"])
        try publish(port: broker.port, topic: "homeassistant/device/other/config", "{}", more: ["-r"])
        let running = try gateway(broker)
        try await subscriber.first(on: "homeassistant/device/sondygoXtest/config")
        try await subscriber.first(on: "owntracks/sonde/test")
        // A running gateway would publish everything anew.
        let refused = try await forget(broker)
        #expect(refused.code == 1 && refused.text.contains("the gateway is running; stop it first"), "\(refused)")
        running.kill(SIGTERM)
        #expect(try await running.exitCode() == 0)
        let before = try await retained(broker)
        #expect(before.isSuperset(of: ["sondygo/test/state", "sondygo/test/bridge/state", "owntracks/sonde/test"]))
        let forgotten = try await forget(broker)
        #expect(forgotten.code == 0, "\(forgotten.text)")
        #expect(forgotten.text.components(separatedBy: "removed ").count - 1 == before.count - 2, "\(forgotten.text)")
        // Other gateways' messages stay.
        #expect(try await retained(broker) == ["sondygo/other/state", "homeassistant/device/other/config"])
        // Again: there is nothing to remove.
        let again = try await forget(broker)
        #expect(again.code == 0 && !again.text.contains("removed"), "\(again.text)")
    }

    @Test func withoutABroker() async throws {
        let child = try GatewayProgram.start(["forget", "--mqtt-host", "127.0.0.1", "--mqtt-port", "1"])
        #expect(try await child.exitCode() == 69)
        #expect(child.text.contains("no broker at"))
    }
}
