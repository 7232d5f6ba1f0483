import Foundation
import TestSupport
import Testing

/// `--speed` scales the gateway's time, too, so it sees the flight as flown.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SimulatedTimeTests {
    private func simulate(
        _ broker: Broker, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Child {
        try GatewayProgram.start(
            ["simulate", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--launch-delay", "5"]
                + arguments,
            environment: environment)
    }

    private func seconds(_ message: Subscriber.Message, _ field: String) throws -> Double {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let text = try #require(message.json[field] as? String)
        return try #require(format.date(from: text)).timeIntervalSinceReferenceDate
    }

    /// A whole flight in half a minute. Burst and landing are found, a frame counts as a second, and health comes in
    /// real time.
    @Test func aFlightAtSpeed60HasBurstAndLanding() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try simulate(broker, ["--speed", "60", "--burst", "2500"])
        let events = { (name: String) in
            subscriber.messages(on: "sondygo/test/event").first { $0.json["event"] as? String == name }
        }
        let landed = try await eventually("landed: \(gateway.text)", within: 200) { events("landed") }
        let burst = try #require(events("burst"))
        let burstAltitude = try #require(burst.json["altitude_m"] as? Double)
        #expect((2400...2600).contains(burstAltitude))
        // It falls from 2500 m to the ground at 500 m with about 5 m/s or more.
        let fall = try seconds(landed, "time") - seconds(burst, "time")
        #expect((120...900).contains(fall), "\(fall)")
        let times = try subscriber.messages(on: "sondygo/test/position").filter { $0.retain == 0 }
            .map { try seconds($0, "time") }
        let steps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(steps.count > 300)
        // A slow broker on a busy machine can cost some live positions.
        let single = steps.filter { (0.5...1.5).contains($0) }
        #expect(Double(single.count) > 0.95 * Double(steps.count), "\(steps.max() ?? 0) \(steps.min() ?? 0)")
        let states = subscriber.messages(on: "sondygo/test/receiver/state").compactMap(\.payload)
        #expect(states.filter { $0 == "online" }.count == 1)
        #expect(states.last == "online")
        #expect(subscriber.messages(on: "sondygo/test/health").count < 6)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        // A stop must not report a lost receiver.
        #expect(!gateway.text.contains("Receiver lost"))
        #expect(!gateway.text.contains(" warning "))
        #expect(events("receiver_lost") == nil)
    }

    /// The configuration names the store of real flights. The next start would resume a simulated flight in it.
    @Test func aSimulatedFlightIsNotStoredBesideRealOnes() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let state = try temporaryDirectory()
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data("gateway: {id: test, state_directory: \(state.path)}\ndashboard: {enabled: false}\n".utf8).write(
            to: file)
        let gateway = try Child(
            GatewayProgram.path,
            [
                "simulate", "--config", file.path, "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)",
                "--speed", "20", "--launch-delay", "1",
            ])
        try await subscriber.first(on: "sondygo/test/position") { $0.retain == 0 }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0, "\(gateway.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: state.path) == [])
    }

    /// Fifteen seconds of silence close the link, counted in the flight's time. Repeated log lines are counted in real
    /// time.
    @Test func silenceCountsInTheFlightsTime() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        // Predictions take most of the computing time. On a slow machine the flight is slower.
        let gateway = try simulate(
            broker, ["--speed", "100", "--fault", "silence@20:400"],
            environment: ["SONDYGO_PREDICTION_ENABLED": "false"])
        try await eventually("back", within: 200) {
            (subscriber.messages(on: "sondygo/test/receiver/state").count { $0.payload == "online" } == 2).orNil
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let closings = gateway.lines.filter { $0.contains("closing the receiver's link") }
        #expect((1...8).contains(closings.count), "\(closings)")
        #expect(closings.contains { $0.contains("times=") })
    }
}
