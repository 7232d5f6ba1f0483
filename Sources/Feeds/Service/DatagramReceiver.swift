import Logging
import NIOCore
import NIOPosix

/// Receives datagrams at a port, up to a limit per second. Lives on one event loop.
final class DatagramReceiver: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private static let datagramsInASecond = 50
    /// The rest of a longer datagram is lost.
    private static let longest = 2048

    private let loop: any EventLoop
    private let onDatagram: ([UInt8], SocketAddress) -> Void
    private var port: FeedPort?
    private var allowance = datagramsInASecond
    private(set) var drops = 0

    init(
        of feed: String, at endpoint: FeedEndpoint, on loop: any EventLoop, log: Logger,
        onDatagram: @escaping ([UInt8], SocketAddress) -> Void
    ) {
        self.loop = loop
        self.onDatagram = onDatagram
        port = FeedPort(of: feed, at: endpoint, on: loop, log: log) { [unowned self] host in
            self.open(host, port: endpoint.port)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard allowance > 0 else {
            drops += 1
            if allowance == 0 { _ = context.channel.setOption(.autoRead, value: false) }
            allowance -= 1
            return
        }
        allowance -= 1
        let envelope = unwrapInboundIn(data)
        onDatagram(Array(envelope.data.readableBytesView), envelope.remoteAddress)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The error concerns one datagram; the next may be valid.
    }

    /// Call once a second.
    func tick() {
        if allowance < 0 { _ = port?.channel?.setOption(.autoRead, value: true) }
        allowance = Self.datagramsInASecond
        port?.tick()
    }

    func stop() { port?.stop() }

    private func open(_ host: String, port: Int) -> EventLoopFuture<any Channel> {
        let me = NIOLoopBound(self, eventLoop: loop)
        return DatagramBootstrap(group: loop)
            // Several programs may receive the same broadcasts.
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.longest))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(me.value) }
            }
            .bind(host: host, port: port)
    }
}
