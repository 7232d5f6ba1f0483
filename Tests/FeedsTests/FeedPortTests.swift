import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Feeds

/// When and where a port is opened. A simulated kernel answers.
@Suite struct FeedPortTests {
    /// The simulated kernel. Lives on the event loop.
    private final class Kernel {
        var tried: [String] = []
        var answers: [any Error]

        init(_ answers: [any Error]) { self.answers = answers }

        func open(_ host: String, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
            tried.append(host)
            guard !answers.isEmpty else { return loop.makeSucceededFuture(EmbeddedServer.channel) }
            return loop.makeFailedFuture(answers.removeFirst())
        }
    }

    /// A channel that a successful opening returns. Its port does not matter.
    private enum EmbeddedServer {
        static let channel: any Channel = {
            let loop = MultiThreadedEventLoopGroup.singleton
            let bound = DatagramBootstrap(group: loop).bind(host: "127.0.0.1", port: 0)
            do { return try bound.wait() } catch { preconditionFailure("\(error)") }
        }()
    }

    /// - Returns: for each second the addresses tried in it.
    private func seconds(_ count: Int, at host: String, _ answers: [any Error]) async throws -> [[String]] {
        _ = EmbeddedServer.channel
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        return try await loop.submit {
            let kernel = Kernel(answers)
            let port = FeedPort(
                of: "rdz", at: .init(host: host, port: 14_570), on: loop,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { kernel.open($0, on: loop) }
            return (0..<count).map { _ in
                kernel.tried = []
                port.tick()
                return kernel.tried
            }
        }.get()
    }

    private static let taken = IOError(errnoCode: EADDRINUSE, reason: "bind")

    @Test func aPortInUseIsTriedEveryThirtySeconds() async throws {
        let tried = try await seconds(120, at: "127.0.0.1", [Self.taken, Self.taken])
        #expect(tried.indices.filter { !tried[$0].isEmpty } == [0, 30, 60])
    }

    /// The ways in which a kernel reports that it has no IPv6, or has it switched off.
    @Test(
        arguments: [
            IOError(errnoCode: EAFNOSUPPORT, reason: "socket"), IOError(errnoCode: EADDRNOTAVAIL, reason: "bind"),
            SocketAddressError.unsupported,
        ] as [any Error])
    func withoutIPv6(_ error: any Error) async throws {
        #expect(try await seconds(40, at: "::", [error]).flatMap(\.self) == ["::", "0.0.0.0"])
        // Only "::" falls back to IPv4.
        #expect(try await seconds(40, at: "::1", [error]).flatMap(\.self) == ["::1", "::1"])
        // Both addresses are occupied: after 30 s both are tried again.
        let taken = try await seconds(40, at: "::", [error, Self.taken, error])
        #expect(taken.flatMap(\.self) == ["::", "0.0.0.0", "::", "0.0.0.0"])
        #expect(taken.indices.filter { !taken[$0].isEmpty } == [0, 30])
    }

    @Test func aPortInUseIsNotTakenForMissingIPv6() async throws {
        #expect(try await seconds(20, at: "::", [Self.taken]).flatMap(\.self) == ["::"])
    }
}
