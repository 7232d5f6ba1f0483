public import Gateway
public import GatewayReports

/// A tile server over HTTP: on the internet with TLS only, in the car's network also without.
public struct TileClient: TileSource {
    /// The limit for a whole request.
    private static let timeout = Duration.seconds(15)

    private let fetcher: HTTPFetcher
    private let timeout: Duration

    /// - Parameters:
    ///   - userAgent: names the program; tile servers refuse those without a name.
    ///   - authorities: a PEM file with the authorities to trust; nil trusts the machine's own.
    ///   - timeout: the limit for a whole request. Tests shorten it.
    public init(userAgent: String, authorities: String? = nil, timeout: Duration? = nil) {
        fetcher = HTTPFetcher(userAgent: userAgent, authorities: authorities)
        self.timeout = timeout ?? Self.timeout
    }

    /// Whether a tile may be fetched from this address.
    public static func accepts(_ url: String) -> Bool {
        WebAddress.oddCharacter(in: url) == nil && (try? base(of: url)) != nil
    }

    private static func base(of url: String) throws(OnlineServiceError) -> BaseURL {
        try BaseURL(String(url.prefix { $0 != "?" }), allowsOwnNetwork: true)
    }

    public func tile(at url: String, limit: Int) async throws(OnlineServiceError) -> FetchedTile? {
        let base = try Self.base(of: url)
        return try await within(timeout) { () async throws(OnlineServiceError) in
            try await fetcher.tile(String(url.dropFirst(base.text.count)), of: base, limit: limit)
        }
    }
}
