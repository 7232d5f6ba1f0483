public import Gateway
public import GatewayReports

/// Sends alerts over HTTP: on the internet with TLS only, in the car's network also without.
public struct AlertClient: AlertSender {
    /// The limit for a whole request.
    private static let timeout = Duration.seconds(15)

    private let fetcher: HTTPFetcher

    /// - Parameter authorities: a PEM file with the authorities to trust; nil trusts the machine's own.
    public init(userAgent: String, authorities: String? = nil) {
        fetcher = HTTPFetcher(userAgent: userAgent, authorities: authorities)
    }

    /// Whether alerts may be sent to this address.
    public static func accepts(_ url: String) -> Bool { (try? base(of: url)) != nil }

    private static func base(of url: String) throws(OnlineServiceError) -> BaseURL {
        try BaseURL(String(url.prefix { $0 != "?" && $0 != "#" }), allowsOwnNetwork: true)
    }

    public func send(_ request: AlertRequest) async throws(OnlineServiceError) {
        let base = try Self.base(of: request.url)
        try await within(Self.timeout) { () async throws(OnlineServiceError) in
            try await fetcher.send(request, to: base)
        }
    }
}
