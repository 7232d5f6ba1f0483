public import Gateway
public import GatewayReports
import Glibc
import ReceiverProtocol
import TransportIO

/// The receiver's frames over a TCP socket, for example from ser2net.
public struct TCPTransport: ReceiverTransport {
    /// The time limit for each address of the host.
    private static let connectLimit = Duration.seconds(5)

    private let host: String
    private let port: Int
    private let thread: StaticString

    /// - Parameter thread: the reader's name.
    public init(host: String, port: Int, thread: StaticString = "receiver") {
        self.host = host
        self.port = port
        self.thread = thread
    }

    public var name: String { "tcp \(host):\(port)" }
    public var backoff: Backoff { Backoff(limit: .seconds(5)) }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        try await DescriptorConnection.open("\(host):\(port)", thread: thread) {
            [host, port] () throws(TransportError) in
            try Self.open(host, port: port)
        }
    }

    /// Tries the host's addresses in order.
    private static func open(_ host: String, port: Int) throws(TransportError) -> Int32 {
        let list = try addresses(of: host, port: port)
        defer { freeaddrinfo(list) }
        var failure = TransportError(.unreachable, "\(host) has no address")
        var next = list
        while let address = next?.pointee {
            do throws(TransportError) {
                return try open(address, name: "\(host):\(port)")
            } catch {
                // A timeout tells more than a later refusal.
                if failure.code != .timedOut { failure = error }
            }
            next = address.ai_next
        }
        throw failure
    }

    /// The host's addresses. A numeric address needs no resolver and no network.
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

    private static func open(_ address: addrinfo, name: String) throws(TransportError) -> Int32 {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { throw .system(name, errno: errno) }
        do throws(TransportError) {
            try connect(descriptor, to: address, name: name)
            setOptions(descriptor)
            return descriptor
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func connect(
        _ descriptor: Int32, to address: addrinfo, name: String
    ) throws(TransportError) {
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return }
        guard errno == EINPROGRESS else { throw .system(name, errno: errno) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, Int32(clamping: connectLimit.wholeMilliseconds)) > 0 else {
            throw TransportError(.timedOut, "\(name): no answer within \(connectLimit.components.seconds) s")
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
        // The 15 s silence rule finds a vanished peer. Keep-alive frees the socket, too.
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &enabled, size)
    }
}
