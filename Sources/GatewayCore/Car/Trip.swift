public import FlightMath
import ReceiverProtocol

/// How the car gets to the landing point, and when it is there.
public struct Trip: Equatable, Sendable {
    public enum Method: String, CaseIterable, Sendable {
        case osrm, valhalla
        /// Without a server, and whenever it gave no route.
        case straightLine = "straight_line"

        init(_ engine: RouteEngine) {
            switch engine {
            case .osrm: self = .osrm
            case .valhalla: self = .valhalla
            }
        }
    }

    public var method: Method
    /// Why it is a straight line; nil for a route.
    public var reason: StraightLineReason?
    public var mode: RouteMode
    /// By road, or straight.
    public var distanceMetres: Double
    /// With the way on foot from the road's end, as far as that is walked.
    public var duration: Duration
    public var arrivalAt: WallTime
    /// From the road's end to the landing point; nil for a straight line.
    public var endGapMetres: Double?
    public var computedAt: WallTime

    /// From the road's end one walks at 4 km/h, no further than this.
    private static let longestWalk = 2000.0
    private static let walkingSpeed = 4 / 3.6

    /// The arrival is the road's end, and the rest is another story.
    public var isNoRoadNear: Bool { endGapMetres ?? 0 > Self.longestWalk }

    /// As the crow flies.
    init(
        straightFrom start: Coordinate, to end: Coordinate, by mode: RouteMode, because reason: StraightLineReason,
        at now: WallTime
    ) {
        method = .straightLine
        self.reason = reason
        self.mode = mode
        distanceMetres = start.distanceMetres(to: end)
        duration = .seconds(clamping: distanceMetres / mode.straightSpeed)
        arrivalAt = now.advanced(by: duration)
        computedAt = now
    }

    /// By road.
    /// - Parameter gap: from the road's end to the landing point, metres.
    init(_ route: RoadRoute, by engine: RouteEngine, _ mode: RouteMode, gap: Double, at now: WallTime) {
        method = Method(engine)
        self.mode = mode
        distanceMetres = route.distanceMetres
        endGapMetres = gap
        let walk = gap <= Self.longestWalk ? Duration.seconds(clamping: gap / Self.walkingSpeed) : .zero
        duration = route.duration + walk
        arrivalAt = now.advanced(by: duration)
        computedAt = now
    }
}

/// Why there is no route.
public enum StraightLineReason: Equatable, Sendable {
    case noServer
    /// The server has not answered yet, or is not to be asked yet.
    case waiting
    case noRoad(NoRoad)
    case failed(OnlineServiceError.Code)

    /// Published.
    public var name: String {
        switch self {
        case .noServer: "no_server"
        case .waiting: "waiting"
        case .noRoad(let what): what.rawValue
        case .failed(let code): code.rawValue
        }
    }
}
