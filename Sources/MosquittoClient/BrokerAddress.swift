import Glibc

/// One of the brokers: its host and port.
///
/// | text | host | port |
/// | --- | --- | --- |
/// | `broker` `10.0.0.1` `fe80::1%eth0` | the text | the usual one |
/// | `broker:1884` `[fe80::1]:1884` | `broker` `fe80::1` | 1884 |
/// | `/run/mosquitto.sock` | the text | 0: a UNIX socket |
public struct BrokerAddress: Equatable, Sendable {
    /// A host name, an address or the path of a UNIX socket.
    public var host: String
    public var port: Int
    /// With TLS the broker's certificate must be for this name: the host as the configuration has it, also where ``host``
    /// is one of its addresses.
    var certificateName: String

    /// - Parameter certificateName: nil for the host.
    public init(host: String, port: Int, certificateName: String? = nil) {
        self.host = host
        self.port = port
        self.certificateName = certificateName ?? host
    }

    /// - Parameters:
    ///   - text: as in `mqtt.host`. An invalid text becomes the host, and
    ///     ``MosquittoConfiguration/verifyHosts()`` refuses it.
    ///   - port: for a text without one.
    public init(_ text: String, port: Int) {
        self.init(host: text, port: text.hasPrefix("/") ? 0 : port)
        guard !isPath, let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return }
        guard let own = UInt16(text[text.index(after: colon)...]), own > 0 else { return }
        let name = text[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") {
            (host, self.port) = (String(name.dropFirst().dropLast()), Int(own))
        } else if !name.contains(":"), !name.isEmpty {
            (host, self.port) = (String(name), Int(own))
        }
        certificateName = host
    }

    private var isPath: Bool { host.hasPrefix("/") }

    /// For people: `broker:1884`, or the path.
    public var text: String { isPath ? host : host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
