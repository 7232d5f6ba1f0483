public import FlightMath
import ReceiverProtocol

/// The car's way to the landing point, and its arrival.
public struct Trip: Equatable, Sendable {
    public enum Method: String, CaseIterable, Sendable {
        case osrm, valhalla
        /// Used without a server, and if the server gave no route.
        case straightLine = "straight_line"
    }

    public var method: Method
    /// Why the trip is a straight line; nil for a route.
    public var reason: StraightLineReason?
    public var mode: RouteMode
    /// Along the road, or along the straight line with the detour that roads usually make.
    public var distanceMetres: Double
    /// Includes the way to the road's start, and the walk from its end, if that is not longer than ``longestWalk``.
    public var duration: Duration
    public var arrivalAt: WallTime
    /// From the road's end to the landing point; nil for a straight line.
    public var endGapMetres: Double?
    /// From the car to the road's start; nil for a straight line.
    public var startGapMetres: Double?
    public var computedAt: WallTime

    /// A longer walk from the road's end is not counted, metres.
    public static let longestWalk = 2000.0

    public init(
        method: Method, reason: StraightLineReason? = nil, mode: RouteMode, distanceMetres: Double, duration: Duration,
        arrivalAt: WallTime, endGapMetres: Double? = nil, startGapMetres: Double? = nil, computedAt: WallTime
    ) {
        self.method = method
        self.reason = reason
        self.mode = mode
        self.distanceMetres = distanceMetres
        self.duration = duration
        self.arrivalAt = arrivalAt
        self.endGapMetres = endGapMetres
        self.startGapMetres = startGapMetres
        self.computedAt = computedAt
    }

    /// The road ends too far from the landing point to walk. The arrival is that at the road's end.
    public var isNoRoadNear: Bool { endGapMetres ?? 0 > Self.longestWalk }

    /// A trip in a straight line.
    /// - Parameter detour: how much longer roads usually are.
    public init(
        straightFrom start: Coordinate, to end: Coordinate, by mode: RouteMode, because reason: StraightLineReason,
        detour: Double, at now: WallTime
    ) {
        method = .straightLine
        self.reason = reason
        self.mode = mode
        distanceMetres = start.distanceMetres(to: end) * detour
        duration = .seconds(clamping: distanceMetres / mode.straightSpeed)
        arrivalAt = now.advanced(by: duration)
        computedAt = now
    }
}
