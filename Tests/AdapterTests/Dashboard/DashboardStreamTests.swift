import Foundation
import GatewayReports
import TestSupport
import Testing

@testable import Dashboard
@testable import Gateway

/// The event stream.
@Suite(.timeLimit(.minutes(10)), .serialized) struct DashboardStreamTests {
    private struct Event: Equatable {
        var name, data: String
    }

    private func open(_ rig: DashboardRig, receiveBuffer: Int32? = nil) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port, receiveBuffer: receiveBuffer))
        client.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client
    }

    /// The complete events, without the chunks' headers.
    private func events(_ client: RawClient) -> [Event] {
        client.read()
        let lines = client.body.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .newlines) }
        var events: [Event] = []
        var name = ""
        for line in lines {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { events.append(Event(name: name, data: String(line.dropFirst(6)))) }
        }
        return events
    }

    @Test func aSnapshotThenChanges() async throws {
        let rig = try await DashboardRig()
        rig.openLink()
        rig.frame(altitude: 10_000)
        rig.frame(altitude: 10_005)
        let client = try await open(rig)
        try await eventually("the snapshot") { events(client).contains { $0.name == "flight" }.orNil }
        let first = events(client)
        #expect(client.text.contains("Content-Type: text/event-stream"))
        #expect(client.body.contains("retry: 2000"))
        #expect(first.prefix(2).map(\.name) == ["topics", "alive"])
        let names = try JSONDecoder().decode([String].self, from: Data(first[0].data.utf8))
        #expect(names.contains("command_response"))
        #expect(first.dropFirst().allSatisfy { names.contains($0.name) })
        #expect(first.first { $0.name == "receiver_state" }?.data == "online")
        let position = try #require(first.first { $0.name == "position" })
        #expect(position.data.contains(#""altitude_m":10005"#))
        #expect(first.contains { $0.name == "bridge_info" })
        // Events and answers are not part of a snapshot.
        #expect(!first.contains { $0.name == "event" || $0.name == "command_response" })
        #expect(Set(first.map(\.name)).count == first.count)
        rig.frame(altitude: 10_010)
        rig.handle(.linkClosed(.transport(TransportError(.closedByPeer, "gone"))))
        try await eventually("the last change") {
            events(client).contains { $0.name == "receiver_state" && $0.data == "offline" }.orNil
        }
        let changes = events(client).dropFirst(first.count)
        #expect(changes.contains { $0.name == "position" && $0.data.contains(#""altitude_m":10010"#) })
        #expect(changes.contains { $0.name == "event" })
        try await eventually("signs of life") { (events(client).count { $0.name == "alive" } >= 3).orNil }
        let numbers = client.body.components(separatedBy: "\n").filter { $0.hasPrefix("id: ") }
            .compactMap { Int($0.dropFirst(4).trimmingCharacters(in: .newlines)) }
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    }

    /// A client that reads nothing loses its place to a new one, and is told. No other does.
    @Test func oneStreamMoreReplacesOneThatDoesNotRead() async throws {
        let rig = try await DashboardRig(limits: .endless)
        rig.openLink()
        for altitude in 0..<10 { rig.frame(altitude: altitude) }
        var clients: [RawClient] = []
        for index in 0..<100 { clients.append(try await open(rig, receiveBuffer: index == 5 ? 2048 : nil)) }
        let blocked = clients.remove(at: 5)
        try await eventually("all pages") { (rig.server.streams == 100).orNil }
        var late = try await open(rig)
        // Until a client counts as one that does not read, the new one is refused.
        try await eventually("the newcomer is served") {
            for client in clients { client.read() }
            late.read()
            if late.status == 200, events(late).contains(where: { $0.name == "alive" }) { return true }
            if late.status == 503 { late = try await open(rig) }
            return nil
        }
        #expect(rig.server.streams == 100)
        try await eventually("the blocked one is closed") {
            blocked.read()
            return blocked.isClosed.orNil
        }
        for client in clients {
            client.read()
            #expect(!client.isClosed)
        }
        // A closed page makes room at once.
        clients.removeLast()
        try await eventually("room") { (rig.server.streams == 99).orNil }
    }

    /// Where all read, one page more gets no place, and none loses its own.
    @Test func pagesThatReadKeepTheirStreams() async throws {
        let rig = try await DashboardRig()
        var clients: [RawClient] = []
        for _ in 0..<100 { clients.append(try await open(rig)) }
        try await eventually("all pages") { (rig.server.streams == 100).orNil }
        for _ in 0..<10 {
            let late = try await open(rig)
            try await eventually("an answer") {
                for client in clients { client.read() }
                late.read()
                return (late.status == 503).orNil
            }
            #expect(late.text.contains("Retry-After: 10"))
        }
        #expect(clients.allSatisfy { !$0.isClosed })
        #expect(rig.server.streams == 100)
    }

    /// The kernel closes the connection of a vanished client after 20 s.
    @Test func vanishedClientsAreClosed() async throws {
        let rig = try await DashboardRig()
        let client = try await open(rig)
        try await eventually("a page") { (rig.server.streams == 1).orNil }
        // Tests beside this one have thousands of descriptors open.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let limits = descriptors.compactMap { acknowledgementLimit(of: $0, at: rig.port) }
        #expect(!limits.isEmpty && limits.allSatisfy { $0 == 20_000 }, "\(limits)")
        withExtendedLifetime(client) {}
    }

    /// The limit in milliseconds; nil if the descriptor is no connection to the server's port.
    private func acknowledgementLimit(of descriptor: Int32, at port: Int) -> Int32? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0, Int(UInt16(bigEndian: address.sin_port)) == port else { return nil }
        var (limit, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        var (isListening, flagSize) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &flagSize)
        getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, &size)
        return isListening == 0 ? limit : nil
    }

    /// The client costs little memory and delays no other until it is closed.
    @Test func aClientThatNeverReadsIsClosed() async throws {
        var limits = ConnectionLimits()
        limits.stall = .seconds(2)
        let rig = try await DashboardRig(limits: limits)
        rig.openLink()
        let blocked = try await open(rig, receiveBuffer: 4096)
        let reader = try await open(rig)
        try await eventually("both listen") { (rig.server.streams == 2).orNil }
        let began = ContinuousClock.now
        var altitude = 0
        try await eventually("it is closed") {
            for _ in 0..<50 {
                altitude += 1
                rig.frame(altitude: altitude)
            }
            reader.read()
            return (rig.server.streams == 1).orNil
        }
        #expect(ContinuousClock.now - began < .seconds(30))
        rig.frame(altitude: 9999)
        try await eventually("the other one is served") {
            events(reader).last { $0.name == "position" }?.data.contains(#""altitude_m":9999"#).orNil
        }
        withExtendedLifetime(blocked) {}
    }

    /// A report that waited for a slow reader has its age at the time of sending.
    @Test func delayedReportsShowTheirAge() async throws {
        let rig = try await DashboardRig()
        rig.openLink()
        let (slow, quick) = (try await open(rig, receiveBuffer: 4096), try await open(rig))
        try await eventually("both listen") { (rig.server.streams == 2).orNil }
        // More than all buffers hold, in much less than the reader's ten seconds.
        for altitude in 1001...1400 {
            // One by one, because of several at once only the newest is sent.
            let before = quick.received.count
            rig.frame(altitude: altitude)
            let deadline = ContinuousClock.now + .seconds(10)
            while quick.received.count == before, ContinuousClock.now < deadline {
                await Task.yield()
                quick.read()
            }
        }
        let last = ContinuousClock.now
        try await eventually("two seconds later") { (ContinuousClock.now - last > .seconds(2)).orNil }
        let position = try await eventually("the last position") {
            events(slow).first { $0.name == "position" && $0.data.contains(#""altitude_m":1400"#) }
        }
        let age = try #require(position.data.firstMatch(of: /"age_ms":(\d+)/).flatMap { Int($0.1) })
        #expect(age >= 1900)
    }
}
