import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import SondeHubProtocol

@Suite struct RouteFormatTests {
    private static let query = RouteQuery(
        start: Coordinate(latitude: 47.141, longitude: 9.5209), end: Coordinate(latitude: 47.21, longitude: -0.00001),
        mode: .car)

    private func decode(
        _ text: String, _ engine: RouteEngine = .valhalla, from start: Coordinate = query.start,
        to end: Coordinate = Coordinate(latitude: 47.21, longitude: 9.53)
    ) throws -> RouteAnswer {
        try RouteFormat.decode(Array(text.utf8), to: RouteQuery(start: start, end: end, mode: .car), from: engine)
    }

    private func answer(
        geometry: String = "{\"type\":\"LineString\",\"coordinates\":[[9.52,47.14],[9.53,47.15],[9.53,47.2]]}",
        distance: String = "10220.9", gap: String = ",{\"distance\":123.4,\"location\":[9.53,47.2]}"
    ) -> String {
        "{\"routes\":[{\"legs\":[{\"steps\":[]}],\"distance\":\(distance),\"duration\":678.9,\"geometry\":\(geometry)},"
            + "{\"distance\":1}],\"waypoints\":[{\"distance\":3.2}\(gap)],\"code\":\"Ok\"}"
    }

    @Test func paths() {
        #expect(
            RouteFormat.path(of: Self.query, for: .osrm)
                == "/route/v1/driving/9.520900,47.141000;-0.000010,47.210000?overview=full&geometries=geojson&steps=false"
                + "&radiuses=5000;5000")
        var byBike = Self.query
        byBike.mode = .bike
        #expect(RouteFormat.path(of: byBike, for: .osrm)?.contains("/cycling/") == true)
        let path = RouteFormat.path(of: byBike, for: .valhalla)
        #expect(path?.hasPrefix("/route?json=%7B%22locations%22%3A%5B%7B%22lat%22%3A47.141000") == true)
        #expect(path?.contains("%22search_cutoff%22%3A5000") == true && path?.contains("bicycle") == true)
        byBike.end.latitude = .nan
        #expect(RouteFormat.path(of: byBike, for: .osrm) == nil)
    }

    /// A line that does not belong to the query: latitude and longitude swapped, the line reversed, another country.
    @Test(arguments: [
        "[[47.14,9.52],[47.2,9.53]]", "[[9.53,47.2],[19.52,47.14]]", "[[-180,-90],[180,90],[9.53,47.2]]",
        "[[9.52,47.14],[9.53,47.2],[8,48]]",
    ])
    func anAnswerForAnotherTripIsRefused(_ line: String) {
        let error = #expect(throws: OnlineServiceError.self) {
            try decode(answer(geometry: "{\"type\":\"LineString\",\"coordinates\":\(line)}"))
        }
        #expect(error?.code == .malformed)
    }

    @Test func geoJSON() throws {
        guard case .road(let route) = try decode(answer()) else {
            Issue.record("no road")
            return
        }
        #expect(route.distanceMetres == 10_220.9 && route.duration == .seconds(678.9) && route.endGapMetres == 123.4)
        #expect(route.line.points.first == Coordinate(latitude: 47.14, longitude: 9.52))
        #expect(route.line.points.count == 3)
    }

    /// The example from the format's documentation, at both precisions. For 6 digits a plain encoder made it.
    @Test(arguments: [
        (RouteEngine.osrm, "_p~iF~ps|U_ulLnnqC_mqNvxq`@"), (.valhalla, "_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI"),
    ])
    func polylines(_ engine: RouteEngine, _ line: String) throws {
        let points = [
            Coordinate(latitude: 38.5, longitude: -120.2), Coordinate(latitude: 40.7, longitude: -120.95),
            Coordinate(latitude: 43.252, longitude: -126.453),
        ]
        guard
            case .road(let route) = try decode(
                answer(geometry: "\"\(line)\""), engine, from: points[0], to: points[2])
        else {
            Issue.record("no road")
            return
        }
        #expect(route.line.points == points)
    }

    /// JSON doubles the encoding's backslash.
    @Test func aBackslash() throws {
        let points = try Polyline.decode(Array("\\".utf8) + Array("?".utf8), unitsPerDegree: 1e5)
        #expect(points == [Coordinate(latitude: -0.00015, longitude: 0)])
        guard case .road = try decode(answer(geometry: "\"\\\\?\""), from: points[0], to: points[0]) else {
            Issue.record("no road")
            return
        }
    }

    /// If the server sends no distance for the last waypoint, the gap is computed.
    @Test func theGapToTheRoadIsMeasured() throws {
        guard case .road(let route) = try decode(answer(gap: "")) else {
            Issue.record("no road")
            return
        }
        // The server sends a distance for both waypoints; the last one counts.
        #expect(route.endGapMetres == 3.2)
        let bare = answer(gap: "").replacing("[{\"distance\":3.2}]", with: "[]")
        guard case .road(let measured) = try decode(bare) else {
            Issue.record("no road")
            return
        }
        #expect(abs(measured.endGapMetres - 1112) < 5)
    }

    /// The server's distance is believed only where the route itself would be: less than 50 km from the landing point.
    @Test(arguments: [
        ("0", 0.0), ("49999.5", 49_999.5), ("50000", 1112), ("9977777777777.5", 1112), ("1e300", 1112), ("-0.1", 1112),
    ]) func anUnbelievableGapIsComputed(_ sent: String, _ expected: Double) throws {
        guard case .road(let route) = try decode(answer(gap: ",{\"distance\":\(sent)}")) else {
            Issue.record("no road")
            return
        }
        #expect(abs(route.endGapMetres - expected) < 5)
    }

    @Test(
        arguments: [
            ("{\"code\":\"NoRoute\",\"message\":\"Impossible route\"}", .noRoute),
            ("{\"message\":\"x\",\"code\":\"NoSegment\"}", .noSegment),
            ("{\"error_code\":171,\"error\":\"No suitable edges near location\",\"status_code\":400}", .noSegment),
            ("{\"error_code\":442,\"error\":\"No path could be found for input\"}", .noRoute),
        ] as [(String, NoRoad)])
    func noRoad(_ text: String, _ expected: NoRoad) throws {
        #expect(try decode(text) == .noRoad(expected))
    }

    /// Unusable answers -> the error's code.
    @Test(
        arguments: [
            ("", .refused), ("<html>502</html>", .refused), ("[]", .refused), ("{\"code\":\"Ok\"", .malformed),
            ("{}", .refused), ("{\"code\":\"InvalidUrl\",\"message\":\"URL string malformed\"}", .refused),
            ("{\"code\":\"Ok\"}", .malformed), ("{\"code\":\"Ok\",\"routes\":[]}", .malformed),
            ("{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2}]}", .malformed),
            ("{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":null}]}", .malformed),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":NaN,\"duration\":2,\"geometry\":{\"coordinates\":[[1,2]]}}]}",
                .malformed
            ),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":-2,\"geometry\":{\"coordinates\":[[1,2]]}}]}",
                .malformed
            ),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":{\"coordinates\":[[1,NaN]]}}]}",
                .malformed
            ),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":{\"coordinates\":[[1,95]]}}]}",
                .malformed
            ),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":{\"coordinates\":[[1]]}}]}",
                .malformed
            ),
            ("{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":\"_p~iF\"}]}", .malformed),
            (
                "{\"code\":\"Ok\",\"routes\":[{\"distance\":1,\"duration\":2,\"geometry\":\"~~~~~~~~~~~~?\"}]}",
                .malformed
            ),
        ] as [(String, OnlineServiceError.Code)])
    func refusals(_ text: String, _ code: OnlineServiceError.Code) {
        let error = #expect(throws: OnlineServiceError.self) { try decode(text) }
        #expect(error?.code == code, "\(error?.detail ?? "")")
    }

    @Test func aHundredThousandPoints() throws {
        let points = (0..<100_000).map { "[9.\(100_000 + $0),47.\(100_000 + $0 % 7919)]" }
        let text = answer(geometry: "{\"coordinates\":[\(points.joined(separator: ","))]}")
        guard case .road(let route) = try decode(text) else {
            Issue.record("no road")
            return
        }
        #expect(2...RouteLine.limit ~= route.line.points.count)
        let more = answer(geometry: "{\"coordinates\":[\((points + ["[9,47]"]).joined(separator: ","))]}")
        let error = #expect(throws: OnlineServiceError.self) { try decode(more) }
        #expect(error?.code == .malformed)
        let encoded = String(repeating: "??", count: 100_001)
        #expect(throws: OnlineServiceError.self) { try decode(answer(geometry: "\"\(encoded)\"")) }
    }
}
