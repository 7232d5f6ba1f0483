import Foundation
import Gateway
import ReceiverProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized) struct ReplayTests {
    /// A record for each second of `seconds`, with a telemetry frame of a climbing sonde.
    private func records(_ seconds: Range<Int>, session: Int, clock: Int = 5000) -> [RawLogRecord] {
        seconds.map { second in
            let altitude = 1000 + second * 5
            let frame =
                "1/RS41/404.200/S2340007/51.95029/-2.54439/\(altitude).5/10.0/5.0/100/3967/0/30600/4391/-1/0/0/0/2.30/o\r\n"
            return RawLogRecord(
                monotonic: MonotonicTime(nanoseconds: Int64(clock + second) * 1_000_000_000),
                wall: "2026-11-21T13:09:26.001Z", session: session, bytes: Array(frame.utf8))
        }
    }

    private func file(_ records: [RawLogRecord], more: String = "") throws -> String {
        let file = try temporaryDirectory().appendingPathComponent("raw.jsonl")
        try Data(records.flatMap { $0.line + [10] } + Array(more.utf8)).write(to: file)
        return file.path
    }

    private func replay(_ file: String, _ broker: Broker, speed: Int = 100) throws -> Child {
        try GatewayProgram.start([
            "replay", file, "--speed", "\(speed)", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)",
        ])
    }

    /// The gap in the recording is a silence, a new session, or a restart of the recorder. The receiver is lost and
    /// found once. The replay is slow enough that a busy machine sees the silence before the frame that ends it.
    @Test(arguments: ["silence", "session", "restart"])
    func aReplayedGapLosesAndFindsTheLink(_ kind: String) async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let before = records(0..<10, session: 1)
        let after =
            switch kind {
            case "silence": records(60..<70, session: 1)
            case "session": records(14..<24, session: 2)
            default: records(14..<24, session: 1, clock: 10)
            }
        let replay = try replay(file(before + after), broker, speed: 10)
        #expect(try await replay.exitCode() == 0, "\(replay.text)")
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "offline" }
        let positions = subscriber.messages(on: "sondygo/test/position").filter { $0.retain == 0 }
        #expect(positions.count == 20, "\(replay.text)")
        let states = subscriber.messages(on: "sondygo/test/receiver/state").compactMap(\.payload)
        #expect(states.filter { $0 == "online" }.count == 2, "\(states)")
        let lost = subscriber.messages(on: "sondygo/test/event").filter {
            $0.json["event"] as? String == "receiver_lost"
        }
        #expect(lost.first?.json["reason"] as? String == (kind == "silence" ? "silent" : "closed_by_peer"))
    }

    /// It prints the reason and does not wait.
    @Test func wrongRawLogsExitWith69() async throws {
        let folder = try temporaryDirectory()
        let pipe = folder.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let cases = [
            (folder.path, "is a directory; give a raw log"), (pipe, "is not a plain file"),
            ("/dev/zero", "is not a plain file"), (try file([]), "holds no record"),
            (try file(records(0..<2, session: 1), more: "{\"monotonic_ns\":"), ":3: not a line of a raw log"),
            (
                try file(
                    records(0..<1, session: 1),
                    more: "{\"monotonic_ns\":9223372036854775807,\"wall\":\"\",\"hex\":\"\"}\n"),
                ":2: more than a week after the line before"
            ),
        ]
        for (path, text) in cases {
            let child = try GatewayProgram.start(["replay", path, "--speed", "100"])
            #expect(try await child.exitCode() == 69, "\(path)")
            #expect(child.text.contains(text), "\(child.text)")
        }
    }
}
