import Foundation

/// A program on loopback that sends datagrams to a port.
public final class DatagramPeer: Sendable {
    private let descriptor: Int32

    public init(to port: Int) {
        descriptor = privateSocket(AF_INET, SOCK_DGRAM)
        _ = Broker.hasConnected(descriptor, to: port)
    }

    deinit { close(descriptor) }

    /// A datagram to a port that nobody has opened is lost.
    public func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
