import Foundation
import TestSupport
import Testing

/// The broker goes away in every way it can, the gateway too; 1000 frames and more each. Every position arrives, on the
/// live topic or in the history, in order.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SpoolEndToEndTests {
    @Test func brokerKilledAndRestartedEmpty() async throws {
        let bench = try await FrameBench()
        try await bench.surviveAnEmptyBroker()
        #expect(bench.altitudes("history/position").count >= 390)
        let events = bench.messages.filter { $0.topic == "sondygo/test/history/event" }
        #expect(events.allSatisfy { $0.retain == 0 && $0.json["event"] is String })
        try await bench.end()
        // The journal says of each outage that it is over, also of one within a minute of the start.
        #expect(bench.gateway.lines.last { $0.contains("broker ") }?.contains("broker connected") == true)
        // Nothing waits, nothing comes twice: a new start replays nothing.
        let count = bench.altitudes("history/position").count
        let before = bench.messages.count
        bench.gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(bench.port)", "--transport", "tcp"],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": bench.state.path])
        // Its first event comes before the broker does, and goes out live when that is there.
        try await eventually("the event of the new start") {
            bench.messages.dropFirst(before).contains { message in
                message.topic == "sondygo/test/event" && message.json["event"] as? String == "state_changed"
            }.orNil
        }
        #expect(bench.altitudes("history/position").count == count)
        try await bench.end()
    }

    /// Stopped for longer than the keep-alive: the session ends, and what it had goes to the history.
    @Test func brokerStoppedForAMinute() async throws {
        let bench = try await FrameBench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        // A receiver that fell silent would be given up, too.
        try await bench.feed(600, every: .milliseconds(100))
        #expect(bench.gateway.text.contains("broker lost"))
        bench.broker.kill(SIGCONT)
        try await bench.feed(300)
        try await bench.verify()
        try await bench.end()
    }

    /// Stopped for a moment only: everything goes out late, live, and nothing to the history.
    @Test func brokerStoppedForAMoment() async throws {
        let bench = try await FrameBench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        try await bench.feed(500)
        bench.broker.kill(SIGCONT)
        try await bench.feed(300)
        try await bench.verify()
        #expect(bench.altitudes("history/position").isEmpty)
        try await bench.end()
    }

    /// Killed without a broker, restarted, ten times over: at most the last second of each is lost.
    @Test func gatewayKilledWhileTheBrokerIsAway() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        try await bench.killBroker()
        for _ in 0..<10 {
            try await bench.feed(Int.random(in: 60...140))
            try await bench.waitUntilStored()
            try await bench.restartGateway()
        }
        try await bench.restartBroker()
        try await bench.feed(50)
        try await bench.verify()
        try await bench.end()
    }

    @Test func aStoreThatCannotBeWrittenCostsNothingWhileTheGatewayLives() async throws {
        let state = try temporaryDirectory()
        // A file where the folder should be: not even root can write there.
        let blocked = state.appendingPathComponent("file")
        try Data().write(to: blocked)
        let bench = try await FrameBench(state: blocked.appendingPathComponent("state"))
        try await bench.surviveAnEmptyBroker()
        // Told once, live, though it happened before there was a broker session.
        let failures = bench.messages.filter { $0.json["event"] as? String == "store_failed" }
        #expect(failures.map(\.topic) == ["sondygo/test/event"])
        try await bench.end()
    }

    @Test func aDatabaseOfGarbageIsReplacedAndToldOf() async throws {
        let state = try temporaryDirectory()
        try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(
            to: state.appendingPathComponent("gateway.sqlite"))
        let bench = try await FrameBench(state: state)
        // It happened before there was a broker session, and is told live when there is one.
        try await bench.subscriber.first(on: "sondygo/test/event") {
            $0.json["event"] as? String == "store_replaced"
        }
        try await bench.surviveAnEmptyBroker()
        try await bench.end()
    }
}
