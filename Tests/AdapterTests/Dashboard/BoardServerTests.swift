import Foundation
import Logging
import TestSupport
import Testing

@testable import Dashboard
@testable import GatewayRuntime

/// The board's server with many and with slow pages.
@Suite(.timeLimit(.minutes(10)), .serialized) struct BoardServerTests {
    private final class Rig {
        let port = Broker.freePort()
        let server: BoardServer
        private let running: Task<Void, Never>

        init(limits: ConnectionLimits = ConnectionLimits()) async throws {
            server = BoardServer(
                DashboardOptions(
                    port: port, mapsDirectory: "/nowhere", pageDirectory: Fixtures.url("deploy/page").path),
                BoardSurroundings(tiles: NoTiles(), send: { _ in .refused("no") }), limits: limits,
                log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            running = Task { [server] in await server.run() }
            try await eventually("the board is served") { [port] in (RawClient(port: port) != nil).orNil }
        }

        deinit { running.cancel() }

        func open(_ path: String = "/api/events", receiveBuffer: Int32? = nil) throws -> RawClient {
            let client = try #require(RawClient(port: port, receiveBuffer: receiveBuffer))
            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
    }

    /// Two hundred spectators are served, and the page's files too. One more takes the place of the oldest.
    @Test func manySpectatorsAreServed() async throws {
        let rig = try await Rig()
        var clients: [RawClient] = []
        for number in 1...BoardStreams.most {
            clients.append(try rig.open())
            try await eventually("stream \(number)") { (rig.server.streams == number).orNil }
        }
        let page = try rig.open("/")
        try await eventually("the page") {
            page.read()
            return page.status
        }
        #expect(page.status == 200)
        let late = try rig.open()
        try await eventually("the oldest is closed") {
            clients[0].read()
            return clients[0].isClosed.orNil
        }
        rig.server.send([], sign: Array("{}".utf8))
        for client in clients.dropFirst() + [late] {
            try await eventually("a sign of life") { client.read().contains("event: alive").orNil }
        }
        #expect(rig.server.streams == BoardStreams.most)
        #expect(late.text.contains("X-Accel-Buffering: no"))
    }

    /// A client that reads slowly gets everything once, and then what has changed. One that reads nothing costs little.
    @Test func aSlowClientGetsEverythingOnce() async {
        await #expect(processExitsWith: .success) {
            do { try await BoardServerTests.serveSlowClients() } catch { Issue.record(error) }
        }
    }

    /// In a process of its own, whose memory nothing else uses.
    private static func serveSlowClients() async throws {
        // On a busy machine the first would reach the limit of reading nothing before the last is there.
        let rig = try await Rig(limits: .endless)
        let long = Array(String(repeating: "x", count: 10_000).utf8)
        let count = 300
        rig.server.send(
            (0..<count).map { BoardItem(name: "lines", id: "\($0)", data: Array("\"<\($0)>".utf8) + long + [34]) },
            sign: Array("{}".utf8))
        let before = ProcessMemory.current.anonymousBytes ?? 0
        var blocked: [RawClient] = []
        for _ in 0..<60 { blocked.append(try rig.open(receiveBuffer: 4096)) }
        let slow = try rig.open(receiveBuffer: 16_384)
        try await eventually("all are there", within: 200) { (rig.server.streams == 61).orNil }
        var signs = 0
        try await eventually("everything, some kilobytes at a time", within: 200) {
            // A sign of life comes much more often than the client reads everything.
            signs += 1
            rig.server.send([], sign: Array("{\"n\":\(signs)}".utf8))
            return slow.read().contains("<\(count - 1)>").orNil
        }
        let after = ProcessMemory.current.anonymousBytes ?? 0
        #expect(after < before + 90_000_000, "\((after - before) / 1_000_000) MB")
        #expect(slow.text.split(separator: "<0>").count == 2, "\(slow.received.count) bytes")
        #expect(slow.received.count < 2 * count * long.count)
        rig.server.send([BoardItem(name: "lines", id: "7", data: Array("\"<7>again\"".utf8))], sign: nil)
        try await eventually("the change") { slow.read().contains("<7>again").orNil }
        #expect(slow.text.components(separatedBy: #"{"all":true}"#).count == 2)
        withExtendedLifetime(blocked) {}
    }
}
