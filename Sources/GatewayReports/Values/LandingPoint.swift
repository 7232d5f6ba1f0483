public import FlightMath
public import ReceiverProtocol

/// The place where the sonde will land or lies, and its source.
public struct LandingPoint: Equatable, Sendable {
    public enum Source: String, CaseIterable, Sendable {
        /// Predicted in flight.
        case predicted
        /// The track shows where the sonde came to rest.
        case observed
        /// A guess: the sonde is silent, and this is the last prediction.
        case lastPrediction = "last_prediction"
        /// Set by a command.
        case manual
        /// Where the bearings of the signal cross.
        case bearings
        /// Stored by an earlier run.
        case stored
    }

    public var coordinate: Coordinate
    /// Metres above mean sea level; nil if unknown.
    public var altitudeMetres: Double?
    public var source: Source
    /// The method of the prediction; nil without one.
    public var method: PredictionMethod?
    /// When the gateway learnt this place.
    public var at: Moment
    /// The radii that hold 50 % and 90 % of the real landings, metres; nil if unknown.
    public var radius50Metres, radius90Metres: Double?
    /// When the sonde lands or landed; nil if unknown.
    public var landingAt: WallTime?
    /// Half of the real landings are at most so many seconds before or after ``landingAt``; nil if unknown.
    public var error50Seconds: Double?
    /// The sonde has landed, and its landing time is a guess or unknown.
    public var isTimeEstimate: Bool

    public init(
        coordinate: Coordinate, altitudeMetres: Double? = nil, source: Source, method: PredictionMethod? = nil,
        at: Moment, radius50Metres: Double? = nil, radius90Metres: Double? = nil, landingAt: WallTime? = nil,
        error50Seconds: Double? = nil, isTimeEstimate: Bool = false
    ) {
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.source = source
        self.method = method
        self.at = at
        self.radius50Metres = radius50Metres
        self.radius90Metres = radius90Metres
        self.landingAt = landingAt
        self.error50Seconds = error50Seconds
        self.isTimeEstimate = isTimeEstimate
    }

    /// The radius of a map's circle, metres; nil if unknown. An observed landing point is as exact as a position.
    public var accuracyMetres: Double? { source == .observed ? PositionReport.accuracyMetres : radius90Metres }

    /// The time until the landing; nil if it is unknown or the sonde has landed.
    public func timeToGo(at now: MonotonicTime) -> Duration? {
        guard source == .predicted || source == .manual, let landingAt else { return nil }
        let left = landingAt.duration(since: at.wall) - now.duration(since: at.monotonic)
        // A place that was set by hand outlives the prediction.
        return source == .manual && left < .zero ? nil : left
    }

    /// The time until the landing, for sentences; nil if it is unknown or past.
    public func timeLeft(at now: MonotonicTime) -> Duration? {
        guard let time = timeToGo(at: now), time >= .zero else { return nil }
        return time
    }
}
