import FoundationEssentials
import GatewayCore
import ReceiverProtocol

/// SondeHub's address and the paths below it.
struct BaseURL: Equatable, Sendable {
    /// Without a slash at the end.
    let text: String
    private let scheme: String
    private let host: String
    private let port: Int?

    /// Hosts of this machine, where plain http is no risk.
    private static let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"]

    /// - Throws: ``SondeHubError`` `unreachable` with what is accepted.
    init(_ url: String) throws(SondeHubError) {
        guard let parsed = URL(string: url), let scheme = parsed.scheme, let host = parsed.host(), !host.isEmpty,
            scheme == "https" || scheme == "http" && Self.loopback.contains(host), parsed.query() == nil
        else {
            throw SondeHubError(.unreachable, "\(url): an https URL is needed (http for this machine only)")
        }
        text = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.scheme = scheme
        self.host = host
        port = parsed.port
    }

    func path(of query: SondeHubQuery) -> String {
        switch query {
        case .site(let station): "/sondes/site/\(Self.escaped(station))"
        case .area(let centre, let radius):
            "/sondes?lat=\(centre.latitude)&lon=\(centre.longitude)&distance=\(Int(radius))&last=10800"
        case .sonde(let serial): path(ofTrack: serial, .minute)
        }
    }

    func path(ofTrack serial: SondeSerial, _ duration: TrackDuration) -> String {
        "/sondes/telemetry?serial=\(Self.escaped(serial.canonical))&duration=\(duration.rawValue)"
    }

    /// Where a redirect leads, if it stays with this host and is no less safe.
    func redirected(to target: String) -> String? {
        if target.hasPrefix("/"), !target.hasPrefix("//") { return origin + target }
        guard let url = URL(string: target), url.scheme == "https" || url.scheme == scheme, url.host() == host else {
            return nil
        }
        return target
    }

    private var origin: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Letters, digits and `-_.`; everything else in percent form.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                String(UnicodeScalar(byte))
            default: "%" + [byte].hex.uppercased()
            }
        }.joined()
    }
}
