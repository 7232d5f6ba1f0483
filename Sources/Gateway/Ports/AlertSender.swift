public import GatewayReports

/// A request that tells another service of an event.
public struct AlertRequest: Equatable, Sendable {
    public struct Header: Equatable, Sendable {
        public var name, value: String

        public init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The whole address; may hold a secret.
    public var url: String
    public var method: String
    public var headers: [Header]
    /// Empty for a request without a body.
    public var body: [UInt8]

    public init(url: String, method: String, headers: [Header], body: [UInt8]) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// Sends alerts to other services.
public protocol AlertSender: Sendable {
    /// Returns when the service has taken the alert.
    /// - Throws: `refused` or `redirect` if the same request would be refused again; another code if it may be tried
    ///   again.
    func send(_ request: AlertRequest) async throws(OnlineServiceError)
}
