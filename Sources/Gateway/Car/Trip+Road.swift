import FlightMath
import GatewayReports
import ReceiverProtocol

extension Trip {
    /// The speed of the walk from the road's end: 4 km/h.
    private static let walkingSpeed = 4 / 3.6

    /// A trip by road.
    /// - Parameter gap: the distance from the road's end to the landing point, metres.
    init(_ route: RoadRoute, by engine: RouteEngine, _ mode: RouteMode, gap: Double, at now: WallTime) {
        let walk = gap <= Self.longestWalk ? Duration.seconds(clamping: gap / Self.walkingSpeed) : .zero
        let duration = route.duration + walk
        self.init(
            method: Method(engine), mode: mode, distanceMetres: route.distanceMetres, duration: duration,
            arrivalAt: now.advanced(by: duration), endGapMetres: gap, computedAt: now)
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
