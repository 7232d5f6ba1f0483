public import FlightMath
public import GatewayReports

/// Which of the two ways to ask a route server speaks.
public enum RouteEngine: String, CaseIterable, Sendable {
    case osrm, valhalla
}

/// What is known of routes before any.
public struct RouteOptions: Equatable, Sendable {
    /// Nil without a server.
    public var engine: RouteEngine?
    public var mode: RouteMode

    public init(engine: RouteEngine? = nil, mode: RouteMode = .car) {
        self.engine = engine
        self.mode = mode
    }
}

/// The car's side of a chase, as it is configured.
public struct ChaseOptions: Equatable, Sendable {
    /// In the order in which they count.
    public var sources: [CarSource]
    public var route: RouteOptions
    /// Events that are not said aloud.
    public var quiet: Set<EventName>

    public init(
        sources: [CarSource] = CarSource.allCases, route: RouteOptions = RouteOptions(), quiet: Set<EventName> = []
    ) {
        self.sources = sources
        self.route = route
        self.quiet = quiet
    }
}
