import NIOCore
import NIOPosix

/// Sends datagrams over IPv4 and IPv6. Each address has its own socket, made when first needed, because an error closes
/// the socket and must not disturb the other addresses. Lives on one event loop.
final class DatagramSender {
    private enum Socket {
        case opening
        case open(any Channel)
        /// The seconds until the next try.
        case failed(Int)
    }

    /// The seconds until a failed socket is opened again. While a network is away, each datagram closes the socket.
    private static let retryInterval = 5
    /// A socket without datagrams is closed after this time, seconds.
    private static let idleLimit = 60

    private let loop: any EventLoop
    private var sockets: [SocketAddress: Socket] = [:]
    private var idle: [SocketAddress: Int] = [:]
    private var hasStopped = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// - Returns: false if the datagram was dropped, because the socket is not open yet or is full.
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

    /// Call once a second.
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
            // Nobody should answer. The kernel drops any answers once its buffer is full.
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
