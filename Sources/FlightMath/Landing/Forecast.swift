public import ReceiverProtocol

/// The source of a prediction.
public enum PredictionMethod: String, CaseIterable, Sendable {
    /// Tawhiri, asked by this gateway.
    case tawhiri
    /// SondeHub's own prediction.
    case sondehub
    /// Computed here from the winds that this flight has measured.
    case ownWinds = "own_winds"
}

/// A prediction and its source.
public struct Forecast: Equatable, Sendable {
    /// An online prediction is used for this long.
    public static let onlineLimit = Duration.seconds(300)

    public var method: PredictionMethod
    public var prediction: LandingPrediction
    public var computedAt: Moment
    /// The prediction was made before the burst was known.
    public var isBeforeBurst: Bool

    public init(method: PredictionMethod, prediction: LandingPrediction, computedAt: Moment, isBeforeBurst: Bool) {
        self.method = method
        self.prediction = prediction
        self.computedAt = computedAt
        self.isBeforeBurst = isBeforeBurst
    }

    /// The time of the sonde's position from which it was computed.
    public var startsAt: WallTime { prediction.path.first?.time ?? computedAt.wall }

    /// The time until the landing; negative after it.
    public func timeToGo(at now: MonotonicTime) -> Duration {
        prediction.landing.time.duration(since: computedAt.wall) - now.duration(since: computedAt.monotonic)
    }
}

extension LandingPrediction {
    /// The most points of a path.
    public static let longestPath = 200

    /// Moves all its times.
    public mutating func advance(byMilliseconds change: Int64) {
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
