import Feeds
import FlightMath
import Foundation
import Gateway
import ReceiverProtocol
import TestSupport
import Testing

/// Clients that ask and then shut their sending side, as `printf … | nc` does.
@Suite(.timeLimit(.minutes(10)), .serialized) struct HalfClosedTests {
    /// Waits for the feed's first bytes, sends its argument, and shuts its sending side. Then it prints the types of
    /// the lines until the server closes.
    private static let script = """
        import json, socket, sys
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=30)
        lines = client.makefile()
        for line in lines:
            if '"tel"' in line:
                break
        client.sendall(sys.argv[2].encode())
        client.shutdown(socket.SHUT_WR)
        print(*[json.loads(line)["type"] for line in lines if '"tel"' not in line])
        """

    private func types(_ questions: String) async throws -> [String] {
        let port = Broker.freePort()
        let bench = try FeedBench(second: .milliseconds(100)) { $0.rocket.listen(at: port) }
        let serial = try #require(SondeSerial(name: "V4210150", type: .other("")))
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: 1_795_314_600_000),
            coordinate: Coordinate(latitude: 46.8, longitude: 6.9), altitudeMetres: 500, source: .ble)
        try await bench.record([.points(serial, .rs41, [point])])
        try await eventually("the feed is ready") { FeedServiceTests.accepts(port).orNil }
        let client = try Child("python3", ["-c", Self.script, "\(port)", questions])
        #expect(try await client.exitCode(within: 100) == 0, "\(client.text)")
        await bench.stop()
        return client.text.split(whereSeparator: \.isWhitespace).map { String($0) }
    }

    @Test func aHalfClosedClientGetsItsAnswer() async throws {
        #expect(try await types("{\"cmd\":\"rockets\"}\n") == ["rockets"])
    }

    /// Questions that need the store and questions that do not, in one go.
    @Test func aHalfClosedClientGetsAllItsAnswers() async throws {
        let questions = ["flash_list", "ping", "flash_read", "rockets", "status"]
        let lines = questions.map { "{\"cmd\":\"\($0)\"}\n" }.joined()
        #expect(try await types(lines) == ["flash_list", "ack", "flash_data", "rockets", "status"])
    }

    @Test func aHalfClosedClientWithoutARequestIsClosed() async throws {
        #expect(try await types("") == [])
    }
}
