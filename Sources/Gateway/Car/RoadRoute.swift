public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// From where to where a route is wanted.
public struct RouteQuery: Equatable, Sendable {
    public var start: Coordinate
    public var end: Coordinate
    public var mode: RouteMode

    public init(start: Coordinate, end: Coordinate, mode: RouteMode) {
        self.start = start
        self.end = end
        self.mode = mode
    }
}

/// What a route server answered. All its numbers are finite and of this Earth.
public enum RouteAnswer: Equatable, Sendable {
    case road(RoadRoute)
    /// There is none, which is normal: a lake, a forest, an island.
    case noRoad(NoRoad)
}

/// A way by road.
public struct RoadRoute: Equatable, Sendable {
    public var distanceMetres: Double
    public var duration: Duration
    public var line: RouteLine
    /// From the road's end to the landing point, metres, as the server measured it.
    public var endGapMetres: Double

    public init(distanceMetres: Double, duration: Duration, line: RouteLine, endGapMetres: Double) {
        self.distanceMetres = distanceMetres
        self.duration = duration
        self.line = line
        self.endGapMetres = endGapMetres
    }
}
