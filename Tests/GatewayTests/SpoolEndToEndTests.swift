import Foundation
import TestSupport
import Testing

/// The broker goes away in every way it can, the gateway too; 1000 frames and more each. Every position arrives, on the
/// live topic or in the history, in order.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SpoolEndToEndTests {
    /// A receiver on a socket, the gateway, and what arrived at whichever broker there was.
    private final class Bench {
        let port = Broker.freePort()
        let server: SocketServer
        let state: URL
        var broker: Broker
        var subscriber: Subscriber
        var gateway: Child
        /// Of subscribers whose broker is gone.
        private var earlier: [Subscriber.Message] = []
        private var frames = 0
        /// Of the last frame, metres.
        private var altitude: String { "\(500 + frames / 10)\(frames % 10 == 0 ? "" : ".\(frames % 10)")" }

        init(state: URL? = nil) async throws {
            server = try SocketServer()
            self.state = try state ?? temporaryDirectory()
            broker = try await Broker(port: port)
            subscriber = try await Subscriber(port: port)
            gateway = try Self.start(port, server.port, self.state)
            try await server.accept()
            try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        }

        private static func start(_ port: Int, _ receiver: Int, _ state: URL) throws -> Child {
            try GatewayProgram.start(
                [
                    "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(port)", "--transport", "tcp",
                    "--receiver-host",
                    "127.0.0.1", "--receiver-port", "\(receiver)",
                ],
                environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": state.path])
        }

        /// Frames with an altitude of their own each, 250 a second unless said otherwise.
        func feed(_ count: Int, every interval: Duration = .milliseconds(4)) async throws {
            for _ in 0..<count {
                frames += 1
                let text = "1/RS41/403.500/V4210150/47.38/8.54/\(altitude)/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
                server.write(Array(text.utf8))
                try await Task.sleep(for: interval)
            }
        }

        func killBroker() async throws {
            try await broker.stop()
            earlier += subscriber.messages
        }

        /// An empty one; somebody listens before the gateway comes back.
        func restartBroker() async throws {
            gateway.kill(SIGSTOP)
            broker = try await Broker(port: port)
            subscriber = try await Subscriber(port: port)
            gateway.kill(SIGCONT)
        }

        func restartGateway() async throws {
            gateway.kill(SIGKILL)
            _ = try await gateway.exitCode()
            gateway = try Self.start(port, server.port, state)
            try await server.accept()
        }

        var messages: [Subscriber.Message] { earlier + subscriber.messages }

        func altitudes(_ topic: String) -> [Double] {
            messages.filter { $0.topic == "sondygo/test/" + topic }.compactMap { $0.json["altitude_m"] as? Double }
        }

        /// The gateway says so at the beginning of each.
        private var sessions: Int {
            messages.count { $0.topic == "sondygo/test/bridge/state" && $0.payload == "online" }
        }

        /// Frames before, while and after the broker is dead; then everything has to be there.
        func surviveAnEmptyBroker() async throws {
            try await feed(350)
            try await killBroker()
            try await feed(400)
            try await restartBroker()
            try await feed(350)
            try await verify()
        }

        /// Within a second everything is on disk; a reader of its own looks.
        func waitUntilStored() async throws {
            let query = "SELECT payload FROM spool WHERE topic LIKE '%/position' ORDER BY key DESC LIMIT 1"
            let program =
                "import sqlite3; print(sqlite3.connect('file:\(state.path)/gateway.sqlite?mode=ro', uri=True)"
                + ".execute(\"\(query)\").fetchone())"
            try await eventually("the last frame is on disk", within: 2) {
                let reader = try Child("python3", ["-c", program])
                _ = try await reader.exitCode()
                return reader.text.contains("\"altitude_m\":\(altitude),").orNil
            }
        }

        /// Waits until every frame has arrived; then the order, and that no live position came twice.
        func verify() async throws {
            let expected = Set((1...frames).map { 5000 + $0 })
            func arrived() -> Set<Int> {
                Set((altitudes("position") + altitudes("history/position")).map { Int(($0 * 10).rounded()) })
            }
            _ = try? await eventually("every frame", within: 60) {
                expected.isSubset(of: arrived()).orNil
            }
            let live = altitudes("position")
            let missing = expected.subtracting(arrived())
            #expect(missing.isEmpty, "\(missing.sorted())")
            // The newest is published anew in a new session, as everything retained is.
            #expect(zip(live, live.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(live.count - Set(live).count < sessions)
            let history = altitudes("history/position")
            #expect(zip(history, history.dropFirst()).allSatisfy { $0 <= $1 }, "\(history)")
        }

        func end() async throws {
            gateway.kill(SIGTERM)
            #expect(try await gateway.exitCode(within: 5) == 0)
        }
    }

    @Test func brokerKilledAndRestartedEmpty() async throws {
        let bench = try await Bench()
        try await bench.surviveAnEmptyBroker()
        #expect(bench.altitudes("history/position").count >= 390)
        let events = bench.messages.filter { $0.topic == "sondygo/test/history/event" }
        #expect(events.allSatisfy { $0.retain == 0 && $0.json["event"] is String })
        try await bench.end()
        // Nothing waits, nothing comes twice: a new start replays nothing.
        let count = bench.altitudes("history/position").count
        let before = bench.messages.count
        bench.gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(bench.port)", "--transport", "tcp"],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": bench.state.path])
        // Its first event comes before the broker does, so that the history is replayed once more.
        try await eventually("the history of the new start") {
            bench.messages.dropFirst(before).contains { message in
                message.topic == "sondygo/test/history/event" && message.json["event"] as? String == "state_changed"
            }.orNil
        }
        #expect(bench.altitudes("history/position").count == count)
        try await bench.end()
    }

    /// Stopped for longer than the keep-alive: the session ends, and what it had goes to the history.
    @Test func brokerStoppedForAMinute() async throws {
        let bench = try await Bench()
        try await bench.feed(300)
        bench.broker.kill(SIGSTOP)
        // A receiver that fell silent would be given up, too.
        try await eventually("the session is given up", within: 60) {
            try await bench.feed(20, every: .milliseconds(50))
            return bench.gateway.text.contains("broker lost").orNil
        }
        try await bench.feed(100)
        bench.broker.kill(SIGCONT)
        try await bench.feed(300)
        try await bench.verify()
        try await bench.end()
    }

    /// Stopped for a moment only: everything goes out late, live, and nothing to the history.
    @Test func brokerStoppedForAMoment() async throws {
        let bench = try await Bench()
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
        let bench = try await Bench()
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
        let bench = try await Bench(state: blocked.appendingPathComponent("state"))
        try await bench.surviveAnEmptyBroker()
        // Told once; it happened before there was a broker session.
        let failures = bench.messages.filter { $0.json["event"] as? String == "store_failed" }
        #expect(failures.map(\.topic) == ["sondygo/test/history/event"])
        try await bench.end()
    }

    @Test func aDatabaseOfGarbageIsReplacedAndToldOf() async throws {
        let state = try temporaryDirectory()
        try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(
            to: state.appendingPathComponent("gateway.sqlite"))
        let bench = try await Bench(state: state)
        // It happened before there was a broker session.
        try await bench.subscriber.first(on: "sondygo/test/history/event") {
            $0.json["event"] as? String == "store_replaced"
        }
        try await bench.surviveAnEmptyBroker()
        try await bench.end()
    }
}
