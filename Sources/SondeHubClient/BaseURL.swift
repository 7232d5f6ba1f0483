import FoundationEssentials
import GatewayCore

/// A service's address, and where on it a redirect may lead.
struct BaseURL: Equatable, Sendable {
    /// Without a slash at the end.
    let text: String
    let host: String
    private let scheme: String
    private let port: Int?

    /// Hosts of this machine, where plain http is no risk.
    private static let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"]

    /// - Parameter allowsOwnNetwork: plain http is let through to the machines beside this one, too.
    /// - Throws: ``OnlineServiceError`` `unreachable` with what is accepted.
    init(_ url: String, allowsOwnNetwork: Bool = false) throws(OnlineServiceError) {
        guard let parsed = URL(string: url), let scheme = parsed.scheme?.lowercased(), let host = parsed.host(),
            !host.isEmpty, parsed.user() == nil,
            scheme == "https"
                || scheme == "http" && (Self.loopback.contains(host) || allowsOwnNetwork && Self.isNear(host)),
            parsed.query() == nil,
            parsed.fragment() == nil,
            // The HTTP library traps on others, or takes another one.
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

    /// A name or address of the car's own network: `pi`, `pi.local`, 10.x, 172.16-31.x, 192.168.x.
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

    /// The port, given or the scheme's own.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// Where a redirect leads, if it stays with this host and port and is no less safe.
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
