public import GatewayReports

/// A route server, over the network.
public protocol RouteSource: Sendable {
    /// - Throws: the answer was late, unreadable, or an error. That there is no road is an answer.
    func route(_ query: RouteQuery) async throws(OnlineServiceError) -> RouteAnswer
}
