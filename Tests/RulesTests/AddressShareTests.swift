import GatewayRuntime
import NIOCore
import NIOEmbedded
import Testing

@testable import Dashboard

/// A crowd from one address leaves the places that others need. Alone it may have all of them.
@Suite struct AddressShareTests {
    private static let crowd = "192.168.1.66"
    private static let proxy = "127.0.0.1"

    private final class Client {
        let channel = EmbeddedChannel()
        let guardian: ConnectionGuard
        private let isRefused: Bool

        init(_ address: String, at gate: ConnectionGate) throws {
            guardian = ConnectionGuard(gate, limits: ConnectionLimits())
            try channel.pipeline.syncOperations.addHandler(guardian)
            try channel.connect(to: SocketAddress(ipAddress: address, port: 4711)).wait()
            isRefused = try channel.readOutbound(as: ByteBuffer.self) != nil
        }

        /// The gateway works on an answer, or the client has a stream.
        func ask() -> Client {
            guard !isRefused else { return self }
            guardian.headCame()
            guardian.requestEnded()
            return self
        }

        /// The connection is neither refused nor closed.
        var hasPlace: Bool { !isRefused && channel.isActive }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    /// 250 busy clients of one address, then others. Each gets a place at once, until it has as many as the crowd.
    @Test(arguments: [proxy, "192.168.1.5", "2001:db8::5"]) func aCrowdMakesRoom(_ other: String) throws {
        let gate = ConnectionGate(most: 12)
        let crowd = try (0..<250).map { _ in try Client(Self.crowd, at: gate).ask() }
        #expect(crowd.map(\.hasPlace) == (0..<250).map { $0 < 12 })
        let others = try (0..<9).map { _ in try Client(other, at: gate).ask() }
        #expect(others.map(\.hasPlace) == Array(repeating: true, count: 6) + [false, false, false])
        // The first of the crowd, perhaps a page that was there before it, have kept theirs.
        #expect(crowd.map(\.hasPlace) == (0..<250).map { $0 < 6 })
        // A third address takes from either.
        let third = try (0..<4).map { _ in try Client("192.168.1.7", at: gate).ask() }
        for clients in [crowd, others, third] { #expect(clients.count(where: \.hasPlace) == 4) }
        #expect(gate.count == 12)
    }

    /// A proxy's users all have its address. They have no less room than they had, with nobody else there.
    @Test func aProxyMayHaveAllPlaces() throws {
        let gate = ConnectionGate(most: 12)
        let users = try (0..<12).map { _ in try Client(Self.proxy, at: gate).ask() }
        #expect(users.count(where: \.hasPlace) == 12)
        #expect(try !Client(Self.proxy, at: gate).hasPlace)
        users[3].guardian.answered()
        #expect(try Client(Self.proxy, at: gate).hasPlace && !users[3].channel.isActive)
    }

    /// The crowd's idle connections make room for it, a page's own between two requests does not.
    @Test func aCrowdDisplacesNoIdlePage() throws {
        let gate = ConnectionGate(most: 12)
        let page = try Client("192.168.1.5", at: gate).ask()
        page.guardian.answered()
        let crowd = try (0..<11).map { _ in try Client(Self.crowd, at: gate).ask() }
        #expect(try !Client(Self.crowd, at: gate).hasPlace && page.hasPlace)
        crowd[7].guardian.answered()
        #expect(try Client(Self.crowd, at: gate).hasPlace && !crowd[7].channel.isActive && page.hasPlace)
    }

    /// A hundred pages of one address that read make room for fifty of another one.
    @Test func aCrowdsStreamsMakeRoom() throws {
        let loop = EmbeddedEventLoop()
        let hub = EventHub(
            replies: CommandReplies(), loop: loop, clock: SystemGatewayClock(), watched: { _ in })
        func open(_ address: String) throws -> EmbeddedChannel? {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: address, port: 4711)).wait()
            guard hub.makeRoom(for: channel) else { return nil }
            hub.add(channel)
            return channel
        }
        let crowd = try (0..<EventHub.mostStreams).compactMap { _ in try open(Self.crowd) }
        #expect(crowd.count == EventHub.mostStreams)
        let others = try (0..<EventHub.mostStreams / 2).compactMap { _ in try open(Self.proxy) }
        #expect(others.count(where: \.isActive) == EventHub.mostStreams / 2)
        #expect(crowd.count(where: \.isActive) == EventHub.mostStreams / 2 && hub.count == EventHub.mostStreams)
        for channel in crowd + others {
            hub.remove(channel)
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }
    }
}
