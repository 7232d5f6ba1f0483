import TestSupport
import Testing

@testable import GatewayCore

@Suite struct GeodesyTests {
    /// Against geographiclib, see Fixtures/geodesy/generate.py: distances to 0.1 %, bearings to 0.1°.
    @Test func agreesWithTheGeodesicReference() throws {
        let rows = try Fixtures.text("Fixtures/geodesy/pairs.csv").split(separator: "\n").dropFirst()
        #expect(rows.count == 1000)
        for (index, row) in rows.enumerated() {
            let values = row.split(separator: ",").compactMap { Double($0) }
            try #require(values.count == 6)
            let start = Coordinate(latitude: values[0], longitude: values[1])
            let end = Coordinate(latitude: values[2], longitude: values[3])
            let metres = start.distanceMetres(to: end)
            #expect(abs(metres - values[4]) <= 0.001 * values[4], "row \(index): \(row), found \(metres)")
            let turn = (start.bearingDegrees(to: end) - values[5]).remainder(dividingBy: 360)
            #expect(abs(turn) <= 0.1, "row \(index): \(row), off by \(turn)")
        }
    }

    /// From, to -> metres, degrees.
    @Test(
        arguments: [
            ((47.0, 8.0), (47.0, 8.0), 0, 0), ((47.0, 8.0), (48.0, 8.0), 111_180.6, 0),
            ((47.0, 8.0), (46.0, 8.0), 111_161.1, 180), ((0.0, 8.0), (0.0, 9.0), 111_319.5, 90),
            ((0.0, 8.0), (0.0, 7.0), 111_319.5, 270), ((0.0, 179.9), (0.0, -179.9), 22_263.9, 90),
            ((90.0, 0.0), (89.0, 90.0), 111_693.9, 90), ((0.0, 0.0), (0.0, 180.0), 20_003_931.5, 0),
            ((-90.0, 0.0), (90.0, 0.0), 20_003_931.5, 0),
        ] as [((Double, Double), (Double, Double), Double, Double)])
    func distanceAndBearing(
        _ from: (Double, Double), _ to: (Double, Double), _ metres: Double, _ degrees: Double
    ) {
        let start = Coordinate(latitude: from.0, longitude: from.1)
        let end = Coordinate(latitude: to.0, longitude: to.1)
        #expect(abs(start.distanceMetres(to: end) - metres) < 1)
        if metres < 1e7 { #expect(abs(start.bearingDegrees(to: end) - degrees) < 0.01) }
    }

    /// A bearing is below 360, and whatever comes in, a number comes out.
    @Test(arguments: [(47.0, 8.0, -1e-9), (89.9999, 0, 1e-7), (0, 180, -1e-12)])
    func bearingsStayBelow360(_ latitude: Double, _ longitude: Double, _ turn: Double) {
        let start = Coordinate(latitude: latitude, longitude: longitude)
        let end = Coordinate(latitude: latitude + 0.001, longitude: longitude + turn)
        #expect((0..<360).contains(start.bearingDegrees(to: end)))
    }

    /// Over the date line and over the pole: there and back is where it was.
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
