import Foundation
import TestSupport
import Testing

/// Broker and gateway are stopped and killed in all ways, with 1000 frames or more each. All positions arrive in order,
/// on the live topic or in the history.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SpoolEndToEndTests {
    @Test func brokerKilledAndRestartedEmpty() async throws {
        let bench = try await FrameBench()
        try await bench.surviveAnEmptyBroker()
        #expect(bench.altitudes("history/position").count >= 390)
        let events = bench.messages.filter { $0.topic == "sondygo/test/history/event" }
        #expect(events.allSatisfy { $0.retain == 0 && $0.json["event"] is String })
        try await bench.end()
        // The journal reports the end of each outage, also within a minute of the start.
        #expect(bench.gateway.lines.last { $0.contains("broker ") }?.contains("broker connected") == true)
        // A new start replays no message.
        let count = bench.altitudes("history/position").count
        let before = bench.messages.count
        bench.gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(bench.port)", "--transport", "tcp"],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": bench.state.path])
        // Its first event comes before the broker session, and is sent live in that session.
        try await eventually("the event of the new start") {
            bench.messages.dropFirst(before).contains { message in
                message.topic == "sondygo/test/event" && message.json["event"] as? String == "state_changed"
            }.orNil
        }
        #expect(bench.altitudes("history/position").count == count)
        try await bench.end()
    }

    /// The stop is longer than the keep-alive, so the session ends and its messages go to the history.
    @Test func aBrokerThatStandsStillGetsTheHistory() async throws {
        let bench = try await FrameBench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        // The frames go on, or the gateway would close the silent link.
        try await eventually("the session ends: \(bench.gateway.text)", within: 120) {
            try await bench.feed(20, every: .milliseconds(50))
            return bench.gateway.text.contains("broker lost").orNil
        }
        try await bench.feed(300)
        bench.broker.kill(SIGCONT)
        try await bench.feed(300)
        try await bench.verify()
        try await bench.end()
    }

    /// After a short stop the newest position is sent live. Those that it has displaced go to the history, in order.
    @Test func aBrokerStoppedBrieflyGetsAllFrames() async throws {
        let bench = try await FrameBench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        try await bench.feed(500)
        bench.broker.kill(SIGCONT)
        try await bench.feed(300)
        try await bench.verify()
        #expect(!bench.gateway.text.contains("broker lost"), "the session went on")
        try await bench.end()
    }

    /// Ten kills and restarts without a broker. Each loses the last second at most.
    @Test func gatewayKilledWhileTheBrokerIsAway() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        try await bench.killBroker()
        var random = SeededRandom.ofThisRun
        for _ in 0..<10 {
            try await bench.feed(Int.random(in: 60...140, using: &random))
            try await bench.waitUntilStored()
            try await bench.restartGateway()
        }
        try await bench.restartBroker()
        try await bench.feed(50)
        try await bench.verify()
        try await bench.end()
    }

    /// The broker stands still, and the gateway is killed: the position that waits for room comes, too.
    @Test func gatewayKilledWhileTheBrokerStandsStill() async throws {
        let bench = try await FrameBench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        // After two seconds nothing more is sent.
        try await bench.feed(80, every: .milliseconds(50))
        try await bench.waitUntilStored()
        try await bench.restartGateway()
        bench.broker.kill(SIGCONT)
        try await bench.feed(50)
        try await bench.verify()
        try await bench.end()
    }

    @Test func aStoreThatCannotBeWrittenCostsNothingWhileTheGatewayLives() async throws {
        let state = try temporaryDirectory()
        // A file is in the folder's place, so not even root can write there.
        let blocked = state.appendingPathComponent("file")
        try Data().write(to: blocked)
        let bench = try await FrameBench(state: blocked.appendingPathComponent("state"))
        try await bench.surviveAnEmptyBroker()
        // Reported once, live, though it happened before the first broker session.
        let failures = bench.messages.filter { $0.json["event"] as? String == "store_failed" }
        #expect(failures.map(\.topic) == ["sondygo/test/event"])
        try await bench.end()
    }

    @Test func aDatabaseOfGarbageIsReplacedAndReported() async throws {
        let state = try temporaryDirectory()
        try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(
            to: state.appendingPathComponent("gateway.sqlite"))
        let bench = try await FrameBench(state: state)
        // It happened before the first broker session, which sends it live.
        try await bench.subscriber.first(on: "sondygo/test/event") {
            $0.json["event"] as? String == "store_replaced"
        }
        try await bench.surviveAnEmptyBroker()
        try await bench.end()
    }
}
