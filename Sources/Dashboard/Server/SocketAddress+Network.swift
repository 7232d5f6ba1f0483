import Glibc
import NIOCore

extension SocketAddress {
    /// The address is this machine's loopback, also as an IPv4 address within IPv6.
    var isLoopback: Bool {
        guard let ipAddress else { return false }
        let name = ipAddress.lowercased()
        return name == "::1" || name.hasPrefix("127.") || name.hasPrefix("::ffff:127.")
    }

    /// Whose address it is: the first 64 bits of an IPv6 address, because a guest chooses the other 64 himself; an IPv4
    /// address as it is. Empty if it is neither.
    var network: String {
        guard let ipAddress else { return "" }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, ipAddress, &bytes) == 1 else { return ipAddress }
        let isIPv4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        return isIPv4 ? ipAddress : bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
    }
}
