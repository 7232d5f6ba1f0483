import TestSupport
import Testing

@testable import FlightMath

@Suite struct GeodesyTests {
    /// Compared with geographiclib (Fixtures/geodesy/generate.py), the errors are at most 0.1 % and 0.1° up to 3000 km.
    /// Everywhere on the Earth the distance is within 0.6 %.
    @Test func agreesWithTheGeodesicReference() throws {
        let rows = try Fixtures.text("Fixtures/geodesy/pairs.csv").split(separator: "\n").dropFirst()
        #expect(rows.count == 1000)
        for (index, row) in rows.enumerated() {
            let values = row.split(separator: ",").compactMap { Double($0) }
            try #require(values.count == 6)
            let start = Coordinate(latitude: values[0], longitude: values[1])
            let end = Coordinate(latitude: values[2], longitude: values[3])
            let metres = start.distanceMetres(to: end)
            let isNear = values[4] <= 3_000_000
            let tolerance = isNear ? 0.001 : 0.006
            #expect(abs(metres - values[4]) <= tolerance * values[4], "row \(index): \(row), found \(metres)")
            let turn = (start.bearingDegrees(to: end) - values[5]).remainder(dividingBy: 360)
            #expect(abs(turn) <= 0.1 || !isNear, "row \(index): \(row), off by \(turn)")
        }
    }

    /// From, to -> metres and degrees of the true geodesic. The tolerance is 1 m and 0.01°.
    @Test(
        arguments: [
            ((47.0, 8.0), (47.0, 8.0), 0, 0), ((47.0, 8.0), (48.0, 8.0), 111_180.6, 0),
            ((47.0, 8.0), (46.0, 8.0), 111_161.1, 180), ((0.0, 8.0), (0.0, 9.0), 111_319.5, 90),
            ((0.0, 8.0), (0.0, 7.0), 111_319.5, 270), ((0.0, 179.9), (0.0, -179.9), 22_263.9, 90),
            ((47.0, -179.0), (47.0, 541.0), 0, 0), ((90.0, 0.0), (89.0, 90.0), 111_693.9, 90),
        ] as [((Double, Double), (Double, Double), Double, Double)])
    func distanceAndBearing(
        _ from: (Double, Double), _ to: (Double, Double), _ metres: Double, _ degrees: Double
    ) {
        let start = Coordinate(latitude: from.0, longitude: from.1)
        let end = Coordinate(latitude: to.0, longitude: to.1)
        #expect(abs(start.distanceMetres(to: end) - metres) < 1)
        #expect(abs(start.bearingDegrees(to: end) - degrees) < 0.01)
    }

    /// Poles, antipodes and both sides of the date line: each pair gives a distance on the Earth and a bearing.
    @Test func everyPairHasADistance() {
        let latitudes = [-90, -89.999_999, -45, -1e-12, 0, 30, 89.9, 90]
        let places = latitudes.flatMap { latitude in
            [-180, -179.999_999, -1e-12, 0, 8, 90, 180, 360].map { Coordinate(latitude: latitude, longitude: $0) }
        }
        for start in places {
            for end in places {
                let metres = start.distanceMetres(to: end)
                #expect((0...20_040_000).contains(metres))
                #expect(abs(metres - end.distanceMetres(to: start)) < 1)
                #expect((0..<360).contains(start.bearingDegrees(to: end)))
            }
        }
        let opposite = Coordinate(latitude: -90, longitude: 0).distanceMetres(
            to: Coordinate(latitude: 90, longitude: 0))
        #expect(abs(opposite - 20_003_931) <= 0.006 * 20_003_931)
    }

    /// A bearing just west of north is below 360.
    @Test(arguments: [(47.0, 8.0, -1e-9), (89.9999, 0, 1e-7), (0, 180, -1e-12)])
    func bearingsAreBelow360(_ latitude: Double, _ longitude: Double, _ turn: Double) {
        let start = Coordinate(latitude: latitude, longitude: longitude)
        let end = Coordinate(latitude: latitude + 0.001, longitude: longitude + turn)
        #expect((0..<360).contains(start.bearingDegrees(to: end)))
    }

    /// Moving a place there and back returns to it, also across the date line and the pole.
    @Test(arguments: [(47.0, 8.0), (10.0, 179.999), (-60.0, -179.999), (89.999, 20.0), (-90.0, 0.0)])
    func movedOnTheSphere(_ latitude: Double, _ longitude: Double) {
        let start = Coordinate(latitude: latitude, longitude: longitude)
        for (east, north) in [(0.0, 0.0), (900.0, 0.0), (-5000.0, 300.0), (0.0, 20_000.0)] {
            let end = start.moved(east: east, north: north)
            #expect(abs(end.latitude) <= 90 && abs(end.longitude) <= 180.001)
            let metres = (east * east + north * north).squareRoot()
            #expect(abs(start.distanceMetres(to: end) - metres) <= 0.007 * metres)
        }
    }
}
