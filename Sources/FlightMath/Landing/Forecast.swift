public import ReceiverProtocol

/// How a prediction was made.
public enum PredictionMethod: String, CaseIterable, Sendable {
    /// Tawhiri's answer to our own question.
    case tawhiri
    /// SondeHub's own.
    case sondehub
    /// From the winds that this flight has met.
    case ownWinds = "own_winds"
}

/// A prediction and where it comes from.
public struct Forecast: Equatable, Sendable {
    /// An online answer is in force for this long (specification 3.7).
    public static let onlineLimit = Duration.seconds(300)

    public var method: PredictionMethod
    public var prediction: LandingPrediction
    public var computedAt: Moment
    /// It was made before the burst was known.
    public var isBeforeBurst: Bool

    public init(method: PredictionMethod, prediction: LandingPrediction, computedAt: Moment, isBeforeBurst: Bool) {
        self.method = method
        self.prediction = prediction
        self.computedAt = computedAt
        self.isBeforeBurst = isBeforeBurst
    }

    /// The wall clock was wrong and has been set. SondeHub's own prediction keeps its times: they were right.
    public mutating func clockSet(byMilliseconds change: Int64) {
        computedAt.wall = computedAt.wall.advanced(byMilliseconds: change)
        if method != .sondehub { prediction.clockSet(byMilliseconds: change) }
    }

    /// Until landing; negative when it is past.
    public func timeToGo(at now: MonotonicTime) -> Duration {
        prediction.landing.time.duration(since: computedAt.wall) - now.duration(since: computedAt.monotonic)
    }
}

extension LandingPrediction {
    /// Points of a path.
    public static let longestPath = 200

    fileprivate mutating func clockSet(byMilliseconds change: Int64) {
        func moved(_ point: PathPoint) -> PathPoint {
            var point = point
            point.time = point.time.advanced(byMilliseconds: change)
            return point
        }
        path = path.map(moved)
        (burst, landing) = (burst.map(moved), moved(landing))
        landingIfBurstNow = landingIfBurstNow.map(moved)
    }
}
