import NIOCore
import NIOPosix

/// Sends datagrams over IPv4 and IPv6, from a socket for each address that is made when it is needed: an error closes it,
/// and must concern nobody else. Lives on one event loop.
final class DatagramSender {
    private enum Socket {
        case opening
        case open(any Channel)
        /// Seconds until it is tried again.
        case failed(Int)
    }

    /// While a network is away, every datagram is an error that closes the socket.
    private static let retryInterval = 5
    /// Nobody is told there any more, seconds.
    private static let idleLimit = 60

    private let loop: any EventLoop
    private var sockets: [SocketAddress: Socket] = [:]
    private var idle: [SocketAddress: Int] = [:]
    private var hasStopped = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// - Returns: false when it was dropped: there is no socket (yet), or it is full.
    func send(_ bytes: [UInt8], to address: SocketAddress) -> Bool {
        idle[address] = 0
        switch sockets[address] {
        case .open(let channel):
            guard channel.isWritable else { return false }
            let buffer = channel.allocator.buffer(bytes: bytes)
            channel.writeAndFlush(AddressedEnvelope(remoteAddress: address, data: buffer), promise: nil)
            return true
        case .opening, .failed: return false
        case nil:
            open(to: address)
            return false
        }
    }

    /// Once a second.
    func tick() {
        for (address, seconds) in idle {
            idle[address] = seconds < Self.idleLimit ? seconds + 1 : nil
        }
        for (address, socket) in sockets {
            switch socket {
            case .failed(let seconds): sockets[address] = seconds > 0 ? .failed(seconds - 1) : nil
            case .open(let channel): if idle[address] == nil { channel.close(promise: nil) }
            case .opening: break
            }
        }
    }

    func stop() {
        hasStopped = true
        for case .open(let channel) in sockets.values { channel.close(promise: nil) }
        sockets = [:]
    }

    private func open(to address: SocketAddress) {
        sockets[address] = .opening
        let me = NIOLoopBound(self, eventLoop: loop)
        DatagramBootstrap(group: loop)
            // Nobody is expected to answer: what comes stays with the kernel, which drops it.
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_broadcast), value: 1)
            .bind(host: address.protocol == .inet6 ? "::" : "0.0.0.0", port: 0)
            .whenComplete { result in
                let sender = me.value
                switch result {
                case .success(let channel):
                    guard !sender.hasStopped else { return channel.close(promise: nil) }
                    sender.sockets[address] = .open(channel)
                    channel.closeFuture.whenComplete { _ in
                        let sender = me.value
                        if !sender.hasStopped { sender.sockets[address] = .failed(Self.retryInterval) }
                    }
                case .failure: sender.sockets[address] = .failed(Self.retryInterval)
                }
            }
    }
}
