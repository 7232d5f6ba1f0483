public import GatewayReports

/// A route server.
public protocol RouteSource: Sendable {
    /// - Throws: if the answer is late, unreadable or an error. "No road" is an answer, not an error.
    func route(_ query: RouteQuery) async throws(OnlineServiceError) -> RouteAnswer
    /// Releases its connections.
    func close() async
}
