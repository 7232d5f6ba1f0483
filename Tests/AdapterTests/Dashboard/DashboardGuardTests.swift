import Dashboard
import Foundation
import Gateway
import TestSupport
import Testing

/// Hostile and broken clients.
@Suite(.timeLimit(.minutes(10)), .serialized) struct DashboardGuardTests {
    /// Limits beyond any test. A client that gets no place waits until others reach them.
    private static let endless = ConnectionLimits.endless
    /// The limits of requests.
    private static let short: ConnectionLimits = {
        var limits = ConnectionLimits()
        (limits.request, limits.stall) = (.milliseconds(500), .milliseconds(500))
        return limits
    }()

    /// Whether a new request is served.
    private func isServed(_ rig: DashboardRig) async throws -> Bool {
        let client = try #require(RawClient(port: rig.port))
        client.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await eventually("an answer") {
            client.read()
            return (client.isClosed || client.status != nil).orNil
        }
        return client.status == 200
    }

    private func answer(_ rig: DashboardRig, _ text: String) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send(text)
        try await eventually("closed") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    @Test func wrongHeadsAreRefused() async throws {
        let rig = try await DashboardRig()
        let field = "X-Long: " + String(repeating: "x", count: 9000)
        #expect(try await answer(rig, "GET / HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n").status == 431)
        let many = (0..<100).map { "X-\($0): 1\r\n" }.joined()
        #expect(try await answer(rig, "GET / HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n").status == 431)
        #expect(try await answer(rig, "rubbish\r\n\r\n").status == 400)
        let post = "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let both = post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(try await answer(rig, both).status == 400)
        let long = post + "Content-Length: 400000000\r\n\r\n" + String(repeating: "x", count: 100_000)
        #expect(try await answer(rig, long).status == 413)
    }

    @Test func slowRequestsEndAfterTheirLimit() async throws {
        let rig = try await DashboardRig(limits: Self.short)
        let began = ContinuousClock.now
        async let head = answer(rig, "GET / HTTP/1.1\r\nHost: local")
        let post = "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        async let body = answer(rig, post + "Content-Length: 20\r\n\r\n{")
        #expect(try await head.status == 408)
        #expect(try await body.status == 408)
        #expect(ContinuousClock.now - began > .milliseconds(450))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: ",
        "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
    ])
    func aRequestIsServedBesideTwoHundredIdleConnections(_ half: String) async throws {
        let rig = try await DashboardRig(limits: Self.endless)
        try await rig.start()
        var slow: [RawClient] = []
        for _ in 0..<200 {
            guard let client = RawClient(port: rig.port) else { continue }
            client.send(half)
            slow.append(client)
        }
        // A request is served beside any number of idle connections.
        for _ in 0..<10 { #expect(try await isServed(rig)) }
        try await eventually("only a hundred streams and 32 requests have room") {
            for client in slow { client.read() }
            return (slow.count { !$0.isClosed } <= 132).orNil
        }
    }

    /// The limit counts from the first byte.
    @Test func aHeadSentByteByByteGetsNoMoreTime() async throws {
        let rig = try await DashboardRig(limits: Self.short)
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        let began = ContinuousClock.now
        client.send("GET / HTTP/1.1\r\nX-Slow: ")
        try await eventually("closed") {
            client.send("x")
            client.read()
            return client.isClosed.orNil
        }
        #expect(client.status == 408)
        #expect(ContinuousClock.now - began > .milliseconds(450))
    }

    /// With a hundred streams and 32 requests the next one is refused at once. It is served when one of them has
    /// ended.
    @Test func theHundredThirtyThirdConnectionIsRefused() async throws {
        let rig = try await DashboardRig(answers: false, healthLimit: .seconds(10), limits: Self.endless)
        try await rig.start()
        let clients = (0..<132).compactMap { _ in RawClient(port: rig.port) }
        for client in clients.prefix(100) { client.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        try await eventually("a hundred pages") { (rig.server.streams == 100).orNil }
        // The first is refused at once. The second, in the same packet, waits for the hanging loop.
        let two = ["command", "health"].map { "GET /api/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
        for client in clients.suffix(32) { client.send(two) }
        for client in clients.suffix(32) {
            try await eventually("the first answer") { client.read().contains("405").orNil }
        }
        let late = try #require(RawClient(port: rig.port))
        try await eventually("refused") {
            late.read()
            return late.isClosed.orNil
        }
        // 503 comes at once; a request that reaches its limit gets 408.
        #expect(late.status == 503)
        for client in clients.suffix(32) {
            try await eventually("the second answer") { client.read().contains("stands still").orNil }
        }
        #expect(rig.server.streams == 100)
        // The idle connections make room.
        let next = try #require(RawClient(port: rig.port))
        next.send("GET /style/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await eventually("served") {
            next.read()
            return next.status
        }
        #expect(next.status == 200)
    }

    /// The client sends many requests and reads nothing. Its second answer is not made, and it is closed.
    @Test func aReaderThatNeverReadsGetsOneAnswer() async throws {
        let archive = CountingArchive()
        let rig = try await DashboardRig(archive: archive, limits: Self.short)
        rig.openLink()
        rig.frame()
        try await rig.start()
        let client = try #require(RawClient(port: rig.port, receiveBuffer: 4096))
        let ask = "GET /api/track?max=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        client.send(String(repeating: ask, count: 20))
        try await eventually("the first answer") { client.hasSomething.orNil }
        #expect(try await isServed(rig))
        try await eventually("all have gone") { (rig.server.connections == 0).orNil }
        #expect(archive.reads == 1)
        client.read()
        #expect(client.received.count < 1_000_000)
    }

    /// The requests of one packet are answered one after another, without nested calls.
    @Test func twoThousandPipelinedRequestsAreAnswered() async throws {
        let rig = try await DashboardRig()
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 2000))
        try await eventually("two thousand answers") {
            (client.read().components(separatedBy: "400 Bad Request").count == 2001).orNil
        }
        #expect(try await isServed(rig))
        // Bytes after a request that are not a request get an error.
        client.send("GET / HTTP/1.1\r\n\r\nrubbish\r\n\r\n")
        try await eventually("closed") {
            client.read()
            return client.isClosed.orNil
        }
        #expect(client.text.components(separatedBy: "400 Bad Request").count == 2003)
    }

    /// All places are taken by clients that request a large file and read nothing. A new request still gets a place.
    @Test func clientsThatReadNothingMakeRoom() async throws {
        let rig = try await DashboardRig(limits: Self.endless)
        try await rig.start()
        let ask = "GET /base/world.bin HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
        let blocked = (0..<32).compactMap { _ in RawClient(port: rig.port, receiveBuffer: 4096) }
        for client in blocked { client.send(ask) }
        try await eventually("all are answered") { blocked.allSatisfy { $0.hasSomething }.orNil }
        try await eventually("served") {
            let client = try #require(RawClient(port: rig.port))
            client.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("an answer") {
                client.read()
                return client.isClosed ? 0 : client.status
            }
            return (client.status == 200).orNil
        }
        withExtendedLifetime(blocked) {}
    }

    /// The same with answers that are written in pieces, each of which fits into the buffers.
    @Test func clientsThatReadNothingOfALongFlightMakeRoom() async throws {
        let rig = try await DashboardRig(archive: LongFlight(), limits: Self.endless)
        try await rig.start()
        let ask = "GET /flights/V4210150.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let blocked = (0..<32).compactMap { _ in RawClient(port: rig.port, receiveBuffer: 4096) }
        for client in blocked { client.send(ask) }
        try await eventually("all are answered", within: 200) {
            blocked.allSatisfy { $0.hasSomething }.orNil
        }
        // While the kernel accepts data, the answers are under way, and no connection is closed.
        try await eventually("one is served", within: 200) {
            let next = try #require(RawClient(port: rig.port))
            next.send("GET /style/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("an answer") {
                next.read()
                return (next.isClosed || next.status != nil).orNil
            }
            return (next.status == 200).orNil
        }
        withExtendedLifetime(blocked) {}
    }

    /// Without new requests they are closed after their limit.
    @Test func clientsThatReadNothingOfALongFlightAreClosed() async throws {
        let rig = try await DashboardRig(archive: LongFlight(), limits: Self.short)
        try await rig.start()
        let blocked = (0..<4).compactMap { _ in RawClient(port: rig.port, receiveBuffer: 4096) }
        for client in blocked { client.send("GET /flights/V4210150.csv HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        try await eventually("all are answered") { blocked.allSatisfy { $0.hasSomething }.orNil }
        try await eventually("all have gone", within: 200) { (rig.server.connections == 0).orNil }
        withExtendedLifetime(blocked) {}
    }

    @Test func requestsOnOneConnectionAreAnswered() async throws {
        let rig = try await DashboardRig()
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send(String(repeating: "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 3))
        try await eventually("three answers") {
            (client.read().components(separatedBy: "200 OK").count == 4).orNil
        }
        // A client that closes its sending side after the request still gets the answer.
        let half = try #require(RawClient(port: rig.port))
        half.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        half.shutDownWriting()
        try await eventually("an answer") {
            half.read()
            return half.status
        }
        #expect(half.status == 200)
        #expect(!client.isClosed)
        let flood = try #require(RawClient(port: rig.port))
        flood.send(String(repeating: "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 500))
        #expect(try await isServed(rig))
    }
}
