import Glibc

/// Checks whether a port is free.
enum PortProbe {
    /// The fault of a port that a program has opened.
    static let inUse = String(cString: strerror(EADDRINUSE))

    /// Opens the port for an instant.
    /// - Parameters:
    ///   - address: IPv4 or IPv6.
    ///   - isDatagram: UDP; TCP otherwise.
    /// - Returns: why the port can't be opened; nil if it is free.
    static func fault(at address: String, port: Int, isDatagram: Bool = false) -> String? {
        var wanted = addrinfo()
        wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        wanted.ai_socktype = Int32((isDatagram ? SOCK_DGRAM : SOCK_STREAM).rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &wanted, &found) == 0, let place = found?.pointee else {
            return "is no address"
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(place.ai_family, place.ai_socktype, 0)
        // Without IPv6 the gateway uses IPv4.
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var yes: Int32 = 1
        // With UDP this option would let several programs share a port.
        if !isDatagram { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) }
        let status = bind(descriptor, place.ai_addr, place.ai_addrlen)
        guard status != 0 || !isDatagram && listen(descriptor, 1) != 0 else { return nil }
        return String(cString: strerror(errno))
    }
}
