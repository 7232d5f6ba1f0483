public import Gateway
public import GatewayReports
import SondeHubProtocol

/// A route server over HTTP: OSRM or Valhalla, on this machine, in the car's network, or on the internet.
public struct RouteClient: RouteSource {
    /// The limit for a whole request.
    private static let timeout = Duration.seconds(15)
    /// The longest answer after decompression, bytes. A route of 100 000 points has 4 MB.
    private static let sizeLimit = 8 << 20

    private let base: BaseURL
    private let engine: RouteEngine
    private let fetcher: HTTPFetcher

    /// OSRM's public server. Its operators ask for few requests and a User-Agent.
    public static let publicServer = "https://router.project-osrm.org"

    /// Whether a server belongs to the public, so that it is asked seldom.
    public static func isPublic(_ url: String) -> Bool {
        let hosts = ["router.project-osrm.org", "valhalla1.openstreetmap.de"]
        return (try? BaseURL(url, allowsOwnNetwork: true)).map { hosts.contains($0.host.lowercased()) } ?? false
    }

    /// Whether a route server may have this address.
    public static func accepts(_ url: String) -> Bool { (try? BaseURL(url, allowsOwnNetwork: true)) != nil }

    /// - Throws: `unreachable` if the URL is neither https nor in the car's own network.
    public init(url: String, engine: RouteEngine, userAgent: String) throws(OnlineServiceError) {
        base = try BaseURL(url, allowsOwnNetwork: true)
        self.engine = engine
        fetcher = HTTPFetcher(userAgent: userAgent, authorities: nil)
    }

    public func close() async {
        await fetcher.close()
    }

    public func route(_ query: RouteQuery) async throws(OnlineServiceError) -> RouteAnswer {
        guard let path = RouteFormat.path(of: query, for: engine) else {
            throw OnlineServiceError(.refused, "the route was asked for with numbers out of range")
        }
        return try await within(Self.timeout) { () async throws(OnlineServiceError) in
            // Servers report "no road" with status 400.
            let answer = try await fetcher.body(path, of: base, limit: Self.sizeLimit, accepting: [200, 400])
            return try RouteFormat.decode(answer, to: query, from: engine)
        }
    }
}
