public import GatewayCore
import SondeHubProtocol

/// A route server over HTTP: OSRM or Valhalla, on this machine, in the car's network, or anywhere.
public struct RouteClient: RouteSource {
    /// For an answer, with everything.
    private static let timeout = Duration.seconds(15)
    /// Of an answer after unfolding, bytes: 100 000 points have 4 MB.
    private static let sizeLimit = 8 << 20

    private let base: BaseURL
    private let engine: RouteEngine
    private let fetcher: HTTPFetcher

    /// Whether the server's address may be this.
    public static func accepts(_ url: String) -> Bool { (try? BaseURL(url, allowsOwnNetwork: true)) != nil }

    /// - Throws: the URL is neither https nor of this machine or its network.
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
            // "No road" comes as an error.
            let answer = try await fetcher.body(path, of: base, limit: Self.sizeLimit, accepting: [200, 400])
            return try RouteFormat.decode(answer, to: query, from: engine)
        }
    }
}
