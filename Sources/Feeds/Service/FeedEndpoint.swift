/// An address with a port: a destination of datagrams, or a port to listen at.
public struct FeedEndpoint: Equatable, Sendable {
    /// A name or an IP address.
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port` or `[address]:port`; also without a port if `usualPort` is given. Nil for any other text.
    public init?(_ text: String, usualPort: Int? = nil) {
        var host = Substring(text)
        var port = usualPort
        let isBare = text.hasSuffix("]") || !text.contains(":")
        if !isBare, let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
            port = Int(digits)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard let port, 1...65_535 ~= port, !host.isEmpty, host.utf8.count <= 255,
            !host.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F })
        else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
