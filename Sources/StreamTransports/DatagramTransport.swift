public import Gateway
public import GatewayReports
import Glibc
import TransportIO

/// A UDP port of this machine, on all its addresses, as a stream of bytes: other programs send there unasked.
///
/// The port is not shared. Two programs could open one port together, but only one of them would get a datagram, and
/// nobody would see why.
public struct DatagramTransport: ReceiverTransport {
    private let port: Int
    private let thread: StaticString

    /// - Parameter thread: the reader's name.
    public init(port: Int, thread: StaticString) {
        self.port = port
        self.thread = thread
    }

    public var name: String { "UDP port \(port)" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        try DescriptorConnection(
            descriptor: open(), peer: ReceiverPeer(name: name, maximumWriteLength: 0), thread: thread, isDatagram: true)
    }

    private func open() throws(TransportError) -> Int32 {
        do throws(TransportError) {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(clamping: port).bigEndian
            return try open(address, family: AF_INET6)
        } catch  where error.code == .notFound {
            // Without IPv6.
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(clamping: port).bigEndian
            return try open(address, family: AF_INET)
        }
    }

    /// - Throws: `notFound` if the kernel has no such addresses.
    private func open<Address>(_ address: Address, family: Int32) throws(TransportError) -> Int32 {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw fault(errno) }
        if family == AF_INET6 {
            // IPv4's datagrams, too.
            var no: Int32 = 0
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
        }
        let status = withUnsafeBytes(of: address) { bytes in
            bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard status == 0 else {
            let error = fault(errno)
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private func fault(_ error: Int32) -> TransportError {
        guard error == EAFNOSUPPORT || error == EADDRNOTAVAIL else { return .system(name, errno: error) }
        return TransportError(.notFound, "\(name): \(String(cString: strerror(error)))")
    }
}
