public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Predictions of other people's computers, over the network.
public protocol PredictionSource: Sendable {
    /// Tawhiri's answer to our own question.
    /// - Throws: the answer was late, unreadable, an error, or about something else.
    func prediction(for query: TawhiriQuery) async throws(OnlineServiceError) -> OnlinePrediction
    /// SondeHub's own prediction for a sonde; nil when it has none.
    /// - Throws: as above.
    func sondeHubPrediction(of serial: SondeSerial) async throws(OnlineServiceError) -> OnlinePrediction?
}

/// A flight for Tawhiri to predict.
public struct TawhiriQuery: Equatable, Sendable {
    /// Where and when the prediction begins.
    public var launch: Coordinate
    /// Metres above mean sea level.
    public var launchAltitudeMetres: Double
    public var launchAt: WallTime
    /// m/s, above 0.
    public var ascentRate: Double
    /// Metres above mean sea level, above the launch.
    public var burstAltitudeMetres: Double
    /// m/s at sea level, above 0.
    public var descentRate: Double

    public init(
        launch: Coordinate, launchAltitudeMetres: Double, launchAt: WallTime, ascentRate: Double,
        burstAltitudeMetres: Double, descentRate: Double
    ) {
        self.launch = launch
        self.launchAltitudeMetres = launchAltitudeMetres
        self.launchAt = launchAt
        self.ascentRate = ascentRate
        self.burstAltitudeMetres = burstAltitudeMetres
        self.descentRate = descentRate
    }
}

/// A flight's course as predicted. All its numbers are finite and of this Earth.
public struct OnlinePrediction: Equatable, Sendable {
    /// A place of the predicted course.
    public struct Point: Equatable, Sendable {
        public var time: WallTime
        public var coordinate: Coordinate
        /// Metres above mean sea level.
        public var altitudeMetres: Double

        public init(time: WallTime, coordinate: Coordinate, altitudeMetres: Double) {
            self.time = time
            self.coordinate = coordinate
            self.altitudeMetres = altitudeMetres
        }
    }

    /// From where it begins to the landing, in order of time; at most ``limit`` points.
    public var path: [Point]
    /// Nil when the sonde is on its way down already.
    public var burst: Point?
    /// The last point of ``path``.
    public var landing: Point
    /// When SondeHub made its own; nil for an answer to our question.
    public var madeAt: WallTime?

    /// A course of more points than this is none.
    public static let limit = 10_000

    public init(path: [Point], burst: Point?, landing: Point, madeAt: WallTime? = nil) {
        self.path = path
        self.burst = burst
        self.landing = landing
        self.madeAt = madeAt
    }

    /// Whether it answers `query`: it begins there and then, and no wind on Earth carries it further than it lands.
    public func answers(_ query: TawhiriQuery) -> Bool {
        guard let start = path.first else { return false }
        return start.coordinate.distanceMetres(to: query.launch) <= Self.startToleranceMetres
            && (.zero - Self.startTolerance...Self.startTolerance).contains(start.time.duration(since: query.launchAt))
            && landing.coordinate.distanceMetres(to: query.launch) <= Self.furthestMetres
    }

    private static let startToleranceMetres = 1000.0
    private static let startTolerance = Duration.seconds(60)
    private static let furthestMetres = 2_000_000.0
}
