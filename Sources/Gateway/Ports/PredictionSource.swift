public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Landing predictions from the network: Tawhiri and SondeHub.
public protocol PredictionSource: Sendable {
    /// Asks Tawhiri for a prediction.
    /// - Throws: if the answer is late, unreadable or an error, or belongs to another query.
    func prediction(for query: TawhiriQuery) async throws(OnlineServiceError) -> OnlinePrediction
    /// SondeHub's own prediction for a sonde; nil if it has none.
    /// - Throws: as ``prediction(for:)``.
    func sondeHubPrediction(of serial: SondeSerial) async throws(OnlineServiceError) -> OnlinePrediction?
    /// The landings that SondeHub predicts for all sondes within a radius, metres; at most ``SondeLanding/limit``.
    /// - Throws: as ``prediction(for:)``.
    func landings(
        around place: Coordinate, radiusMetres: Double
    ) async throws(OnlineServiceError) -> [SondeLanding]
}

/// Where a sonde will land, or has landed, by SondeHub's prediction.
public struct SondeLanding: Equatable, Sendable {
    /// The most landings of an answer.
    public static let limit = 256

    public var serial: SondeSerial
    public var coordinate: Coordinate
    public var at: WallTime

    public init(_ serial: SondeSerial, _ coordinate: Coordinate, at time: WallTime) {
        self.serial = serial
        self.coordinate = coordinate
        at = time
    }
}

/// The flight that Tawhiri must predict.
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

/// A flight's predicted path. All its numbers are finite and in range.
public struct OnlinePrediction: Equatable, Sendable {
    public typealias Point = LandingPrediction.PathPoint

    /// From the beginning to the landing, in the order of time; at most ``limit`` points.
    public var path: [Point]
    /// Nil if the sonde is already in its descent.
    public var burst: Point?
    /// The last point of ``path``.
    public var landing: Point
    /// When SondeHub made its own prediction; nil for an answer of Tawhiri.
    public var madeAt: WallTime?

    /// A path of more points is rejected.
    public static let limit = 10_000

    public init(path: [Point], burst: Point?, landing: Point, madeAt: WallTime? = nil) {
        self.path = path
        self.burst = burst
        self.landing = landing
        self.madeAt = madeAt
    }

    /// Whether this is an answer to `query`: it begins at the same place and time, and lands within a distance that
    /// winds can explain.
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
