import NIOCore

extension String {
    /// Whether this is an IPv4 or IPv6 address. TLS does not allow one as the server name.
    var isAddress: Bool { (try? SocketAddress(ipAddress: self, port: 0)) != nil }
}
