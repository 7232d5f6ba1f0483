import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Feeds

/// The sender of datagrams, also while a network is away.
@Suite(.timeLimit(.minutes(10))) struct DatagramSenderTests {
    /// An error closes one socket, as it does when there is no route. Datagrams to the other address still go out, and
    /// the first socket is opened again.
    @Test func sendingGoesOnAfterAnError() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let port = Broker.freePort()
        let bench = try await loop.submit { NIOLoopBound(Bench(at: port, on: loop), eventLoop: loop) }.get()
        // The kernel refuses datagrams to port 0.
        let bad = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        let good = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        var (wasSent, wasRefused) = (false, false)
        try await eventually("it is tried again") {
            let (isSent, arrived) = try await loop.submit {
                let bench = bench.value
                bench.tick()
                _ = bench.sender.send([2], to: good)
                return (bench.sender.send([1], to: bad), bench.arrived)
            }.get()
            wasRefused = wasRefused || wasSent && !isSent
            wasSent = wasSent || isSent
            return (isSent && wasRefused && arrived > 3).orNil
        }
        try await loop.submit { bench.value.stop() }.get()
    }
}

/// A sender, and a receiver at a port. Lives on one event loop.
private final class Bench {
    let sender: DatagramSender
    private var receiver: DatagramReceiver?
    private(set) var arrived = 0

    init(at port: Int, on loop: any EventLoop) {
        sender = DatagramSender(on: loop)
        receiver = DatagramReceiver(
            of: "test", at: FeedEndpoint(host: "127.0.0.1", port: port), on: loop,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { [weak self] _, _ in self?.arrived += 1 }
    }

    func tick() {
        sender.tick()
        receiver?.tick()
    }

    func stop() {
        sender.stop()
        receiver?.stop()
    }
}
