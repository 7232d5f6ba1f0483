import FoundationEssentials
import GatewayReports

/// The address of a service. It also decides which redirects are allowed.
struct BaseURL: Equatable, Sendable {
    /// The URL without a slash at the end.
    let text: String
    let host: String
    private let scheme: String
    private let port: Int?

    /// The names of this machine, for which plain http is safe.
    private static let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"]

    /// - Parameter allowsOwnNetwork: whether plain http is also allowed to machines in the car's own network.
    /// - Throws: ``OnlineServiceError`` `unreachable`; its text names the accepted addresses.
    init(_ url: String, allowsOwnNetwork: Bool = false) throws(OnlineServiceError) {
        guard let parsed = URL(string: url), let scheme = parsed.scheme?.lowercased(), let host = parsed.host(),
            !host.isEmpty, parsed.user() == nil,
            scheme == "https"
                || scheme == "http" && (Self.loopback.contains(host) || allowsOwnNetwork && Self.isNear(host)),
            parsed.query() == nil,
            parsed.fragment() == nil,
            // The HTTP library crashes on other ports or uses a wrong one.
            parsed.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw OnlineServiceError(
                .unreachable,
                "\(url.prefix(100)): an https URL is needed (http for this machine\(allowsOwnNetwork ? " and its network" : "") only)"
            )
        }
        text = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.scheme = scheme
        self.host = host.lowercased()
        port = parsed.port
    }

    /// Whether the host is in the car's own network: `pi`, `pi.local`, 10.x, 172.16-31.x, 192.168.x.
    private static func isNear(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt8($0) }
        guard numbers.count == 4, parts.count == 4 else {
            return parts.count == 1 && !host.contains(":") || host.lowercased().hasSuffix(".local")
        }
        switch (numbers[0], numbers[1]) {
        case (10, _), (192, 168), (172, 16...31): return true
        default: return false
        }
    }

    /// The port in the URL, or else the scheme's default.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// The URL that a redirect leads to; nil if it changes the host, the port or the scheme.
    func redirected(to target: String) -> String? {
        if target.hasPrefix("/"), !target.hasPrefix("//"), !target.hasPrefix("/\\") { return origin + target }
        guard let url = try? BaseURL(String(target.prefix { $0 != "?" && $0 != "#" }), allowsOwnNetwork: true),
            url.host == host,
            url.effectivePort == effectivePort, url.scheme == scheme
        else { return nil }
        return target
    }

    private var origin: String {
        let literal = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(literal)" + (port.map { ":\($0)" } ?? "")
    }
}
