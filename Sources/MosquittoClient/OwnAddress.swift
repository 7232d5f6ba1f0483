import Glibc

/// The address from which a connection was opened.
enum OwnAddress {
    /// Whether no interface has the connection's own address any more: the car has left the Wi-Fi. What is sent then gets no
    /// answer and no error, although another network may be there.
    /// - Parameter descriptor: of a connected socket.
    static func isGone(of descriptor: Int32) -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return false }
                return isRefused(address, length)
            }
        }
    }

    /// Whether the system has no such address for a new socket.
    private static func isRefused(_ address: UnsafeMutablePointer<sockaddr>, _ length: socklen_t) -> Bool {
        let family = Int32(address.pointee.sa_family)
        // Any free port.
        switch family {
        case AF_INET: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port = 0 }
        case AF_INET6: address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_port = 0 }
        default: return false
        }
        let probe = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        return bind(probe, address, length) != 0 && errno == EADDRNOTAVAIL
    }
}
