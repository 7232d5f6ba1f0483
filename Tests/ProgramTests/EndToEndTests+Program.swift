import Foundation
import TestSupport
import Testing

// Starts and ends the program for these tests.

extension EndToEndTests {
    func altitudes(_ subscriber: Subscriber, id: String = "test") -> [Double] {
        subscriber.messages(on: "sondygo/\(id)/position").filter { $0.retain == 0 }
            .compactMap { $0.json["altitude_m"] as? Double }
    }

    func start(_ broker: Broker, _ arguments: [String], environment: [String: String] = [:]) throws -> Child {
        try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"] + arguments, environment: environment)
    }

    func startSimulator(
        _ broker: Broker, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Child {
        try GatewayProgram.start(
            ["simulate", "--launch-delay", "2", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"]
                + arguments,
            environment: environment)
    }

    /// Sends SIGTERM. The program exits with 0 within 5 s and publishes `offline`. All messages of the run fit their
    /// schemas.
    func endCleanly(_ gateway: Child, _ subscriber: Subscriber) async throws {
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        try await eventually("offline at the end") {
            (subscriber.messages(on: "sondygo/test/bridge/state").last?.payload == "offline").orNil
        }
        let prefix = "sondygo/test/"
        let commands = ["command", "frequency/set", "sonde_type/set", "mute/set", "request/settings"]
        let published = subscriber.messages.filter { $0.topic.hasPrefix(prefix) }
            .map { (topic: String($0.topic.dropFirst(prefix.count)), payload: $0.payload ?? "") }
            .filter { !commands.contains($0.topic) }
        #expect(published.count > 3)
        let violations = try Schemas.violations(published)
        #expect(violations == [])
    }
}
