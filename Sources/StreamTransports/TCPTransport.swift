public import Gateway
public import GatewayReports
import Glibc
import ReceiverProtocol
public import TransportIO

/// The receiver's frames over a TCP socket, as ser2net serves them.
public struct TCPTransport: ReceiverTransport {
    /// For each address of the host.
    private static let connectLimit = Duration.seconds(5)

    private let host: String
    private let port: Int
    private let borrower: (any ThreadBorrower)?

    /// - Parameter borrower: gets the reading thread for what its bytes bring about.
    public init(host: String, port: Int, lendingThreadTo borrower: (any ThreadBorrower)? = nil) {
        self.host = host
        self.port = port
        self.borrower = borrower
    }

    public var name: String { "tcp \(host):\(port)" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        let atOnce = try reachAtOnce()
        let descriptor = if let atOnce { atOnce } else { try await reach() }
        return try DescriptorConnection(
            descriptor: descriptor, peer: ReceiverPeer(name: "\(host):\(port)", maximumWriteLength: 128),
            lendingThreadTo: borrower)
    }

    /// Who is on this machine is there, or isn't, without waiting: it needs no thread.
    /// - Returns: nil for everybody else, and for somebody who is too busy to answer.
    private func reachAtOnce() throws(TransportError) -> Int32? {
        guard ["localhost", "127.0.0.1", "::1"].contains(host) else { return nil }
        do throws(TransportError) {
            return try Self.open(host, port: port, limit: .zero)
        } catch {
            guard error.code == .timedOut else { throw error }
            return nil
        }
    }

    private func reach() async throws(TransportError) -> Int32 {
        let (host, port) = (host, port)
        return try await blocking({ () throws(TransportError) in
            try Self.open(host, port: port, limit: Self.connectLimit)
        }) { late in
            Glibc.close(late)
        }
    }

    /// - Parameter limit: for each address.
    private static func open(_ host: String, port: Int, limit: Duration) throws(TransportError) -> Int32 {
        // What is asked for in vain twice a minute, a gpsd that isn't there, need not read the system's files each time.
        let names = host == "localhost" ? ["::1", "127.0.0.1"] : [host]
        var failure = TransportError(.unreachable, "\(host) has no address")
        for name in names {
            let list = try addresses(of: name, port: port)
            defer { freeaddrinfo(list) }
            var next = list
            while let address = next?.pointee {
                do throws(TransportError) {
                    return try open(address, name: "\(host):\(port)", limit: limit)
                } catch {
                    // Nobody at the other address doesn't mean that nobody is here.
                    if failure.code != .timedOut { failure = error }
                }
                next = address.ai_next
            }
        }
        throw failure
    }

    /// A numeric address is no matter for the resolver, nor for what addresses the machine has.
    private static func addresses(
        of host: String, port: Int
    ) throws(TransportError) -> UnsafeMutablePointer<addrinfo>? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        var status = EAI_NONAME
        for flags in [AI_NUMERICHOST, AI_ADDRCONFIG] where status == EAI_NONAME {
            hints.ai_flags = flags
            status = getaddrinfo(host, String(port), &hints, &list)
        }
        guard status == 0 else {
            throw TransportError(.notFound, "\(host): \(String(cString: gai_strerror(status)))")
        }
        return list
    }

    private static func open(_ address: addrinfo, name: String, limit: Duration) throws(TransportError) -> Int32 {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { throw .system(name, errno: errno) }
        do throws(TransportError) {
            try connect(descriptor, to: address, name: name, limit: limit)
            setOptions(descriptor)
            return descriptor
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func connect(
        _ descriptor: Int32, to address: addrinfo, name: String, limit: Duration
    ) throws(TransportError) {
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return }
        guard errno == EINPROGRESS else { throw .system(name, errno: errno) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, Int32(clamping: limit.wholeMilliseconds)) > 0 else {
            throw TransportError(.timedOut, "\(name): no answer within \(limit.components.seconds) s")
        }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else { throw .system(name, errno: error) }
    }

    private static func setOptions(_ descriptor: Int32) {
        var enabled: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, size)
        // A peer that vanished without a word is found by the 15 s silence rule; this frees the socket as well.
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &enabled, size)
    }
}
