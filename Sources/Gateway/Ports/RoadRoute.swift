public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// The start and the end of the wanted route.
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

/// A route server's answer. All its numbers are finite and in range.
public enum RouteAnswer: Equatable, Sendable {
    case road(RoadRoute)
    /// There is no route. This is normal for a lake, a forest or an island.
    case noRoad(NoRoad)
}

/// A route by road.
public struct RoadRoute: Equatable, Sendable {
    public var distanceMetres: Double
    public var duration: Duration
    public var line: RouteLine
    /// The distance from the road's end to the landing point as the server measured it, metres.
    public var endGapMetres: Double

    /// The distance from a place to the road's start, metres.
    func startGapMetres(from start: Coordinate) -> Double { line.points.first?.distanceMetres(to: start) ?? 0 }

    public init(distanceMetres: Double, duration: Duration, line: RouteLine, endGapMetres: Double) {
        self.distanceMetres = distanceMetres
        self.duration = duration
        self.line = line
        self.endGapMetres = endGapMetres
    }
}
