public import FlightMath
public import ReceiverProtocol

/// Where the sonde will land, or lies: one place, and who says so (specification 3.6).
public struct LandingPoint: Equatable, Sendable {
    public enum Source: String, CaseIterable, Sendable {
        /// It flies.
        case predicted
        /// It was seen to come to rest.
        case observed
        /// Nobody hears it any more: a guess.
        case lastPrediction = "last_prediction"
        /// By command.
        case manual
        /// Of an earlier run.
        case stored
    }

    public var coordinate: Coordinate
    /// Above mean sea level; nil where nobody knows.
    public var altitudeMetres: Double?
    public var source: Source
    /// Of the prediction it comes from.
    public var method: PredictionMethod?
    /// When it was learnt.
    public var at: Moment
    /// In which it comes down in 50, and in 90, of a hundred cases, metres; nil where nobody can say.
    public var radius50Metres, radius90Metres: Double?
    /// When it lands, or landed.
    public var landingAt: WallTime?

    public init(
        coordinate: Coordinate, altitudeMetres: Double? = nil, source: Source, method: PredictionMethod? = nil,
        at: Moment, radius50Metres: Double? = nil, radius90Metres: Double? = nil, landingAt: WallTime? = nil
    ) {
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.source = source
        self.method = method
        self.at = at
        self.radius50Metres = radius50Metres
        self.radius90Metres = radius90Metres
        self.landingAt = landingAt
    }

    /// How far from here it may be, for a map's circle; nil where nobody can say. What was seen is as good as a position.
    public var accuracyMetres: Double? { source == .observed ? PositionReport.accuracyMetres : radius90Metres }

    public mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        guard at.wall >= start else { return }
        at.wall = at.wall.advanced(byMilliseconds: change)
        if method != .sondehub { landingAt = landingAt?.advanced(byMilliseconds: change) }
    }

    /// Until landing; nil where nobody knows, or it is down.
    public func timeToGo(at now: MonotonicTime) -> Duration? {
        guard source == .predicted, let landingAt else { return nil }
        return landingAt.duration(since: at.wall) - now.duration(since: at.monotonic)
    }
}
