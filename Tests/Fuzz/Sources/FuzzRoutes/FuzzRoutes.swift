import FlightMath
import Gateway
import SondeHubProtocol

/// Any bytes as a route server's answer, in both forms. The decoder must not crash. A route must have finite numbers
/// and lie on this Earth.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoutes(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let query = RouteQuery(
        start: Coordinate(latitude: 46.6, longitude: 7), end: Coordinate(latitude: 46.65, longitude: 7.0145), mode: .car
    )
    for engine in RouteEngine.allCases {
        guard case .road(let route)? = try? RouteFormat.decode(bytes, to: query, from: engine) else { continue }
        precondition(1...RouteLine.limit ~= route.line.points.count, "too many points, or none")
        precondition(route.line.points.allSatisfy(isOnEarth), "elsewhere")
        precondition(0..<1e8 ~= route.distanceMetres && 0..<1e8 ~= route.endGapMetres, "too far")
        precondition(Duration.zero..<Duration.seconds(100_000_000) ~= route.duration, "too long")
    }
    return 0
}

private func isOnEarth(_ place: Coordinate) -> Bool {
    abs(place.latitude) <= 90 && abs(place.longitude) <= 180
}
