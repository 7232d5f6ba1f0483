public import FlightMath
import ReceiverProtocol

/// Where the sonde will land, or lies: one place, and who says so (specification 3.6).
struct LandingPoint: Equatable, Sendable {
    enum Source: String, CaseIterable, Sendable {
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

    var coordinate: Coordinate
    /// Above mean sea level; nil where nobody knows.
    var altitudeMetres: Double?
    var source: Source
    /// Of the prediction it comes from.
    var method: PredictionMethod?
    /// When it was learnt.
    var at: Moment
    /// In which it comes down in 50, and in 90, of a hundred cases, metres; nil where nobody can say.
    var radius50Metres, radius90Metres: Double?
    /// When it lands, or landed.
    var landingAt: WallTime?

    /// How far from here it may be, for a map's circle; nil where nobody can say. What was seen is as good as a position.
    var accuracyMetres: Double? { source == .observed ? PositionReport.accuracyMetres : radius90Metres }

    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        guard at.wall >= start else { return }
        at.wall = at.wall.advanced(byMilliseconds: change)
        if method != .sondehub { landingAt = landingAt?.advanced(byMilliseconds: change) }
    }

    /// Until landing; nil where nobody knows, or it is down.
    func timeToGo(at now: MonotonicTime) -> Duration? {
        guard source == .predicted, let landingAt else { return nil }
        return landingAt.duration(since: at.wall) - now.duration(since: at.monotonic)
    }
}

/// One of the landing points before.
public struct EarlierLandingPoint: Equatable, Sendable {
    public var coordinate: Coordinate
    public var time: WallTime

    public init(coordinate: Coordinate, time: WallTime) {
        self.coordinate = coordinate
        self.time = time
    }
}
