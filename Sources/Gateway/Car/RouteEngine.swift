public import FlightMath
public import GatewayReports

/// The kind of route server.
public enum RouteEngine: String, CaseIterable, Sendable {
    case osrm, valhalla
}

/// The configuration of routes.
public struct RouteOptions: Equatable, Sendable {
    /// Nil if no server is configured.
    public var engine: RouteEngine?
    public var mode: RouteMode
    /// How much longer the way by road is than a straight line, while no server knows it.
    public var detour: Double
    /// The server is everybody's, so it is asked seldom, and never while the car stands.
    public var isPublic: Bool

    public init(
        engine: RouteEngine? = nil, mode: RouteMode = .car, detour: Double = 1.35, isPublic: Bool = false
    ) {
        self.engine = engine
        self.mode = mode
        self.detour = detour
        self.isPublic = isPublic
    }

    /// Whether the server may be asked for the way of a crew that moves so. OSRM's public server knows cars only, and answers
    /// every question with a car's way.
    func mayAsk(_ mode: RouteMode, at speed: Double?) -> Bool {
        guard isPublic else { return true }
        return (mode == .car || engine != .osrm) && speed.map { $0 >= CarPosition.slowest } ?? true
    }
}

/// The configuration of the car and of spoken events.
public struct ChaseOptions: Equatable, Sendable {
    /// The sources in the order of their priority.
    public var sources: [CarSource]
    public var route: RouteOptions
    /// The events that are not spoken.
    public var quiet: Set<EventName>
    public var language: Language
    public var units: Units
    /// Metres between two altitudes that are announced on the way up; 0 announces none.
    public var altitudeStepMetres: Double
    /// The time between two announcements of the status; nil for none.
    public var statusInterval: Duration?
    /// Where the phone in the car publishes its position; nil without one.
    public var phoneTopic: String?
    /// Record the car's own way with the flight.
    public var recordsWay: Bool

    public init(
        sources: [CarSource] = CarSource.allCases, route: RouteOptions = RouteOptions(), quiet: Set<EventName> = [],
        language: Language = .english, units: Units = .metric, altitudeStepMetres: Double = 5000,
        statusInterval: Duration? = nil, phoneTopic: String? = nil, recordsWay: Bool = true
    ) {
        self.sources = sources
        self.route = route
        self.quiet = quiet
        self.language = language
        self.units = units
        self.altitudeStepMetres = altitudeStepMetres
        self.statusInterval = statusInterval
        self.phoneTopic = phoneTopic
        self.recordsWay = recordsWay
    }
}
