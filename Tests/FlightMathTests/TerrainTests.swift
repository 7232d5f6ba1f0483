import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath

/// The heights of the ground, where the fall meets the ground, and how its altitude is known.
@Suite struct TerrainTests {
    private static func patch(_ heights: [Int16], longitude: Double = 8, columns: Int = 3) throws -> TerrainPatch {
        try #require(
            TerrainPatch(
                southWest: Coordinate(latitude: 47, longitude: longitude), stepDegrees: 0.5, columns: columns,
                heights: heights))
    }

    /// Latitude, longitude -> the height in a patch with 100 200 300 in the south and 500 600 -32768 in the north.
    @Test(
        arguments: [
            (47.0, 8.0, 100), (47, 8.25, 150), (47.25, 8, 300), (47.25, 8.25, 350), (47.5, 8.4999, 599.98),
            (47.5, 8.5, 600),
            (47.1, 8.6, nil), (46.99, 8, nil), (47.51, 8, nil), (47, 7.99, nil), (47, 9.01, nil), (47, 368.25, 150),
            (.nan, 8, nil), (47, .infinity, nil),
        ] as [(Double, Double, Double?)])
    func heights(_ latitude: Double, _ longitude: Double, _ height: Double?) throws {
        let patch = try Self.patch([100, 200, 300, 500, 600, TerrainPatch.void])
        let found = patch.heightMetres(at: Coordinate(latitude: latitude, longitude: longitude))
        #expect(found.map { ($0 * 100).rounded() / 100 } == height)
    }

    /// The height of the sea is unknown; that of a shore is known. A patch may lie across the date line.
    @Test func seasAndTheDateLine() throws {
        let sea = try Self.patch([0, 0, 0, 0, 0, 20], longitude: 179.5)
        #expect(sea.heightMetres(at: Coordinate(latitude: 47.2, longitude: 179.7)) == nil)
        #expect(sea.heightMetres(at: Coordinate(latitude: 47.5, longitude: -179.5)) == 20)
        #expect(sea.heightMetres(at: Coordinate(latitude: 47.25, longitude: 180.25)) == 5)
        #expect(sea.covers(Coordinate(latitude: 47.25, longitude: -179.9), marginDegrees: 0.2))
        #expect(!sea.covers(Coordinate(latitude: 47.25, longitude: -179.6), marginDegrees: 0.2))
        #expect(TerrainPatch(southWest: sea.southWest, stepDegrees: 1, columns: 2, heights: [1, 2, 3]) == nil)
        #expect(TerrainPatch(southWest: sea.southWest, stepDegrees: 1, columns: 1, heights: [1, 2]) == nil)
    }

    /// A plain at 300 m that rises to the east from 8.1° on, by 20 m per 100 m.
    private static func slope() throws -> TerrainPatch {
        let metres = { (column: Int) in 300 + max(0, Double(column) * 0.001 - 0.1) * 75_800 * 0.2 }
        let row = (0..<400).map { Int16(metres($0)) }
        return try #require(
            TerrainPatch(
                southWest: Coordinate(latitude: 46.9, longitude: 8), stepDegrees: 0.001, columns: 400,
                heights: Array((0..<200).map { _ in row }.joined())))
    }

    /// The fall ends where the path meets the slope, neither at the height of the plain nor far inside the hill.
    @Test func theFallMeetsTheSlope() throws {
        var path = FlightPath(altitude: 300)
        path.go(1500, up: 5, east: 3)
        path.fall(to: 3000, rate: 6, east: 12)
        var flight = Flight()
        _ = flight.add(path.points)
        var options = OwnWindsOptions()
        options.terrain = try Self.slope()
        let plain = try #require(OwnWindsPredictor().prediction(for: flight))
        let met = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        let height = try #require(options.terrain?.heightMetres(at: met.landing.coordinate))
        #expect(height > 400 && abs(met.landing.altitudeMetres - height) < 10)
        #expect(met.inputs.groundOrigin == .terrain && met.inputs.groundMetres == met.landing.altitudeMetres)
        #expect(met.landing.time < plain.landing.time)
        // Outside the patch the fall ends as without a patch.
        options.terrain = try Self.patch([100, 200, 300, 500, 600, 700], longitude: 20)
        #expect(OwnWindsPredictor(options: options).prediction(for: flight)?.landing == plain.landing)
        // A configured altitude goes before the heights.
        options.terrain = try Self.slope()
        flight.knownGround = Ground(metres: 250, origin: .config)
        let told = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        #expect(told.inputs.groundMetres == 250 && told.inputs.groundOrigin == .config)
    }

    /// Heights above the sonde are wrong. The predicted landing is then right below the sonde.
    @Test func aHillAboveTheSonde() throws {
        var path = FlightPath(altitude: 300)
        path.go(1500, up: 5, east: 3)
        path.fall(to: 3000, rate: 6, east: 3)
        var flight = Flight()
        _ = flight.add(path.points)
        var options = OwnWindsOptions()
        options.terrain = TerrainPatch(
            southWest: Coordinate(latitude: 40, longitude: 0), stepDegrees: 10, columns: 2,
            heights: [8000, 8000, 8000, 8000])
        let prediction = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        let height = try #require(flight.newest).altitudeMetres
        #expect(abs(prediction.landing.altitudeMetres - height) <= 1.001 && prediction.minutesToGo < 0.1)
    }

    /// Seconds on the ground and the altitude of the first points -> the origin of the ground's altitude.
    @Test(arguments: [(60, 500.0, "launch"), (0, 1383, "lowest"), (0, 8000, "lowest")] as [(Int64, Double, String)])
    func theOriginByTheTrack(_ standing: Int64, _ altitude: Double, _ origin: String) throws {
        var path = FlightPath(altitude: altitude)
        path.go(standing)
        path.go(600, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        #expect(flight.ground.origin.rawValue == origin)
        let guess = try #require(OwnWindsPredictor().prediction(for: flight))
        #expect(guess.inputs.groundOrigin.rawValue == origin)
        flight.knownGround = Ground(metres: 400, origin: .car)
        let known = try #require(OwnWindsPredictor().prediction(for: flight))
        #expect(flight.ground == Ground(metres: 400, origin: .car))
        // Only an unknown ground makes the radius larger, by the drift during 500 m of fall.
        let wider = guess.radius.metres90 - known.radius.metres90
        #expect(origin == "lowest" ? wider > 100 : wider < 100)
    }

    /// Terrain may be higher than the first point of the flight; ground of another origin may not. No ground is above
    /// the sonde.
    @Test func limits() {
        var path = FlightPath()
        path.go(600, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        for (metres, origin, result) in [
            (1200.0, Ground.Origin.terrain, 1200.0), (1200, .car, 500), (1200, .config, 500), (9000, .terrain, 3494),
            (-600, .terrain, 500), (.nan, .landing, 500),
        ] {
            flight.knownGround = Ground(metres: metres, origin: origin)
            #expect(flight.ground.metres == result, "\(metres) \(origin)")
        }
    }
}
