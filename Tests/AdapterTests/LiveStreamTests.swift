import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import Synchronization
import TestSupport
import Testing

/// SondeHub's live stream through a real broker, over a WebSocket.
@Suite(.timeLimit(.minutes(10)), .serialized) struct LiveStreamTests {
    /// A stream that runs in a task, and the news that it has delivered.
    private final class Run: Sendable {
        let news = Mutex<[SondeHubStreamNews]>([])
        let fault = Mutex<OnlineServiceError?>(nil)
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(
            _ place: StreamPlace, api: String = "http://127.0.0.1:9", authorities: String? = nil,
            keepAlive: Duration = .seconds(60)
        ) throws {
            let serial = try #require(SondeSerial(name: "V1", type: .rs41))
            var configuration = SondeHubClient.Configuration(url: api, userAgent: "sondygo2mqtt/test")
            configuration.stream = place
            configuration.authorities = authorities
            configuration.streamKeepAlive = keepAlive
            let client = try SondeHubClient(configuration)
            let started = Task {
                do throws(OnlineServiceError) {
                    try await client.stream(of: serial) { news in self.news.withLock { $0.append(news) } }
                } catch {
                    fault.withLock { $0 = error }
                }
                await client.close()
            }
            task.withLock { $0 = started }
        }

        convenience init(_ url: String) throws { try self.init(.address(url)) }

        var isOpen: Bool { news.withLock { $0.contains(.opened) } }
        var answers: [SondeHubAnswer] {
            news.withLock { $0.compactMap { if case .frames(let answer) = $0 { answer } else { nil } } }
        }
        var records: [SondeHubRecord] { answers.flatMap(\.records) }

        func opened() async throws {
            try await eventually("the stream opens: \(String(describing: fault.withLock { $0 }))") { isOpen.orNil }
        }
        func ended() async throws -> OnlineServiceError {
            try await eventually("the stream ends") { fault.withLock { $0 } }
        }

        func cancel() async {
            let task = task.withLock { $0 }
            task?.cancel()
            await task?.value
        }
    }

    private static func frame(_ second: Int, serial: String = "V1") -> String {
        let time = String(format: "2026-01-01T12:%02d:%02d.000Z", second / 60 % 60, second % 60)
        return "{\"serial\":\"\(serial)\",\"type\":\"RS41\",\"datetime\":\"\(time)\",\"ref_datetime\":\"UTC\","
            + "\"lat\":47.1,\"lon\":8.2,\"alt\":\(1000 + second),\"uploader_callsign\":\"HB9XYZ\"}"
    }

    /// Publishes a line as one message each.
    private static func publish(_ lines: [String], to broker: Broker, topic: String = "sondes/V1") async throws {
        let file = try temporaryDirectory().appendingPathComponent("lines")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        let child = try Child(
            "sh", ["-c", "exec mosquitto_pub -p \(broker.port) -t \(topic) -l < \(file.path)"])
        #expect(try await child.exitCode() == 0)
    }

    /// Frames arrive through whole frames, frames of one byte, and beside pings.
    @Test(arguments: ["good", "bytes", "pings"])
    func framesArrive(_ behaviour: String) async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        let run = try Run(peer.url(behaviour))
        try await run.opened()
        try await Self.publish(
            [Self.frame(1), "no JSON", "[]", Self.frame(2), "{\"lat\":1}", Self.frame(3)], to: broker)
        try await Self.publish([Self.frame(9, serial: "V2")], to: broker, topic: "sondes/V2")
        try await eventually("three frames: \(run.fault.withLock { $0?.detail ?? "" })") {
            (run.records.count >= 3).orNil
        }
        #expect(run.records.map(\.altitudeMetres) == [1001, 1002, 1003])
        #expect(run.answers.reduce(0) { $0 + $1.skipped } == 3)
        #expect(peer.events.first == "open /\(behaviour) mqtt sondygo2mqtt/test")
        await run.cancel()
        if behaviour == "pings" { #expect(peer.events.contains("pong are you there")) }
        try await eventually("a clean end") { (peer.count("closed 1000") == 1).orNil }
    }

    /// A real broker's own WebSocket.
    @Test func aRealBroker() async throws {
        let port = Broker.freePort()
        let broker = try await Broker(
            listener: "allow_anonymous true\nlistener \(port) 127.0.0.1\nprotocol websockets")
        // The broker opens its own listener before this one.
        try await eventually("the WebSocket's port") { Broker.accepts(port).orNil }
        let run = try Run("ws://127.0.0.1:\(port)/")
        try await run.opened()
        try await Self.publish([Self.frame(1), Self.frame(2)], to: broker)
        try await eventually("two frames: \(run.fault.withLock { $0?.detail ?? "" })") {
            (run.records.count >= 2).orNil
        }
        #expect(run.records.map(\.altitudeMetres) == [1001, 1002])
        await run.cancel()
    }

    /// Behaviour -> why the stream ended.
    @Test(
        arguments: [
            ("huge", "the server sends a frame of more than 64 kB"),
            ("hugepacket", "the server sends a message of more than 64 kB"),
            ("text", "the server sends text instead of MQTT"),
            ("garbage", "the server breaks WebSocket's rules"),
            ("eager", "the server speaks before it is asked"),
            ("html", "the server does not speak WebSocket there"),
            ("refused", "the server does not speak WebSocket there"),
            ("drop/1", "the server closed the connection"),
            ("gone", "the server closed the connection"),
            ("badkey", "the connection failed"),
            ("qos/1", "the server wants acknowledgements that nobody asked for"),
            ("qos/2", "the server wants acknowledgements that nobody asked for"),
            ("pingflood", "the server pings without end"),
        ])
    func badServersAreLeft(_ behaviour: String, _ words: String) async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        let run = try Run(peer.url(behaviour))
        let fault = try await run.ended()
        #expect(fault.detail.contains(words), "\(fault)")
    }

    /// A server that takes the connection and never answers is let go.
    @Test func aServerThatNeverAnswersIsLeft() async throws {
        let server = try SocketServer()
        let run = try Run("ws://127.0.0.1:\(server.port)/")
        try await server.accept()
        #expect(try await run.ended().code == .timedOut)
        try await eventually("the connection is closed") { server.isHungUp.orNil }
    }

    /// The codes that RFC 6455 names, reserves or forbids, and the borders of each range.
    @Test func everyCodeOfACloseIsTold() async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        for code in [0, 1, 999] + Array(1000...1016) + [2999, 3000, 3999, 4000, 4999, 5000, 65_535] {
            let fault = try await Run(peer.url("close/\(code)")).ended()
            #expect(fault.detail == "the server closed the stream with code \(code): because")
        }
        for half in ["empty", "byte"] {
            let fault = try await Run(peer.url("close/\(half)")).ended()
            #expect(fault.detail.hasPrefix("the server closed the stream"), "\(half)")
        }
    }

    /// Servers that accept and say nothing, before the WebSocket, before MQTT, and in a session.
    @Test(arguments: ["silent", "mute", "half"])
    func silenceEndsTheStream(_ behaviour: String) async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        let run = try Run(.address(peer.url(behaviour)), keepAlive: .seconds(5))
        let fault = try await run.ended()
        #expect(fault.code == .timedOut, "\(fault)")
    }

    /// A flood costs frames, the oldest first, but no memory; each is counted.
    @Test func aFloodIsBounded() async {
        await #expect(processExitsWith: .success) { try await LiveStreamTests.flood() }
    }

    /// In a process of its own, whose memory nothing else uses.
    private static func flood() async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        let run = try Run(peer.url())
        try await run.opened()
        let count = 10_000
        let before = ProcessFigures.residentBytes
        try await Self.publish((0..<count).map { Self.frame($0) }, to: broker)
        // The stream goes on after the flood.
        var sent = count
        try await eventually("the frame after the flood, and all counted") { () -> Bool? in
            let told = run.answers.reduce(0) { $0 + $1.records.count + $1.dropped }
            if told >= count, run.records.last?.altitudeMetres == 9999 { return true }
            let frame = Self.frame(0).replacing("\"alt\":1000", with: "\"alt\":9999")
            try await Self.publish([frame], to: broker)
            sent += 1
            return nil
        }
        #expect(run.answers.reduce(0) { $0 + $1.records.count + $1.dropped } <= sent)
        #expect(run.answers.allSatisfy { $0.records.count <= 64 })
        #expect(ProcessFigures.residentBytes - before < 20_000_000)
        await run.cancel()
    }

    /// Name and validity of the certificate -> the end of the message; nil for a stream that opens.
    @Test(
        arguments: [
            ("localhost", 2, nil), ("elsewhere.example", 2, "is for another name"),
            ("localhost", -1, "is not trusted: "),
        ] as [(String, Int, String?)])
    func certificatesAreChecked(_ name: String, _ days: Int, _ words: String?) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder, name: name, days: days)
        let broker = try await Broker()
        let peer = try await StreamPeer(
            broker: broker.port, certificate: folder.appendingPathComponent("server.crt").path,
            key: folder.appendingPathComponent("server.key").path)
        let run = try Run(
            .address("wss://localhost:\(peer.port)/good"), authorities: folder.appendingPathComponent("ca.crt").path)
        guard let words else {
            try await run.opened()
            return await run.cancel()
        }
        let fault = try await run.ended()
        #expect(fault.code == .tls && fault.detail.hasPrefix("the server's certificate \(words)"), "\(fault)")
    }

    /// The API names the address as plain text.
    @Test func theAPINamesTheAddress() async throws {
        let broker = try await Broker()
        let peer = try await StreamPeer(broker: broker.port)
        let server = try await FakeSondeHub()
        try server.serve("websocket", "\"\(peer.url())\"\n")
        let run = try Run(.named, api: server.url())
        try await run.opened()
        await run.cancel()
        try server.serve("websocket", "{\"message\":\"no\"}")
        #expect(try await Run(.named, api: server.url()).ended().code == .refused)
    }
}

private enum ProcessFigures {
    static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
