import FlightMath
import GatewayReports
import ReceiverProtocol

extension Trip {
    /// The speed of the walk from the road's end: 4 km/h.
    private static let walkingSpeed = 4 / 3.6
    /// The speed of the car on its way to the road's start, on tracks that no map knows: 15 km/h.
    private static let trackSpeed = 15 / 3.6

    /// The distances that a route leaves to the crew, metres.
    struct Gaps {
        /// From the car to the road's start.
        var start: Double
        /// From the road's end to the landing point.
        var end: Double
    }

    /// A trip by road.
    init(_ route: RoadRoute, by engine: RouteEngine, _ mode: RouteMode, gaps: Gaps, at now: WallTime) {
        let walk = gaps.end <= Self.longestWalk ? Duration.seconds(clamping: gaps.end / Self.walkingSpeed) : .zero
        let duration = Duration.seconds(clamping: gaps.start / Self.trackSpeed) + route.duration + walk
        self.init(
            method: Method(engine), mode: mode, distanceMetres: route.distanceMetres, duration: duration,
            arrivalAt: now.advanced(by: duration), endGapMetres: gaps.end, startGapMetres: gaps.start,
            computedAt: now)
    }
}

extension Trip.Method {
    fileprivate init(_ engine: RouteEngine) {
        switch engine {
        case .osrm: self = .osrm
        case .valhalla: self = .valhalla
        }
    }
}
