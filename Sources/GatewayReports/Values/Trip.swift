public import FlightMath
import ReceiverProtocol

/// How the car gets to the landing point, and when it is there.
public struct Trip: Equatable, Sendable {
    public enum Method: String, CaseIterable, Sendable {
        case osrm, valhalla
        /// Without a server, and whenever it gave no route.
        case straightLine = "straight_line"
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

    /// From the road's end nobody walks further than this, metres.
    public static let longestWalk = 2000.0

    public init(
        method: Method, reason: StraightLineReason? = nil, mode: RouteMode, distanceMetres: Double, duration: Duration,
        arrivalAt: WallTime, endGapMetres: Double? = nil, computedAt: WallTime
    ) {
        self.method = method
        self.reason = reason
        self.mode = mode
        self.distanceMetres = distanceMetres
        self.duration = duration
        self.arrivalAt = arrivalAt
        self.endGapMetres = endGapMetres
        self.computedAt = computedAt
    }

    /// The arrival is the road's end, and the rest is another story.
    public var isNoRoadNear: Bool { endGapMetres ?? 0 > Self.longestWalk }

    /// As the crow flies.
    public init(
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
}
