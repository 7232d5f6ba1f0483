import Testing

@testable import FlightMath

/// The horizon that hills make around an antenna, and the coverage that is shown beside it.
@Suite struct GroundHorizonTests {
    private static let horizon = GroundHorizon(around: Coordinate(latitude: 47, longitude: 8), directions: 16)

    private static func heights(_ height: (Double) -> Double?) -> [[Double?]] {
        horizon.lines.map { line in (0..<line.count).map { height(line.stepMetres * Double($0)) } }
    }

    @Test func flatGroundIsJustBelow() {
        for angle in Self.horizon.degrees(over: Self.heights { _ in 500 }) {
            #expect(angle.map { (-0.1..<0).contains($0) } == true)
        }
        #expect(Self.horizon.lines.map(\.bearingDegrees) == (0..<16).map { 22.5 * Double($0) })
    }

    /// A ridge of 1500 m, 20 km away: 998 m above the antenna, 23.5 m of which the Earth's curve hides: 2.79°.
    @Test func aRidge() throws {
        for angle in Self.horizon.degrees(over: Self.heights { 19_900...20_200 ~= $0 ? 1500 : 500 }) {
            #expect(abs(try #require(angle) - 2.79) < 0.03)
        }
    }

    @Test func unknownGround() {
        let unknown = Self.horizon.lines.map { _ in nil as Double? }
        #expect(Self.horizon.degrees(over: []) == unknown)
        #expect(Self.horizon.degrees(over: Self.heights { $0 == 0 ? nil : 500 }) == unknown)
        #expect(Self.horizon.degrees(over: Self.heights { $0 < 45_000 ? 500 : nil }) == unknown)
        #expect(Self.horizon.degrees(over: Self.heights { $0 < 60_000 ? 500 : nil }).allSatisfy { $0 != nil })
    }

    @Test func coveragesAreAdded() {
        typealias Cell = HeardCoverage.Cell
        var sum = HeardCoverage(cells: [Cell(direction: 4, band: 0, samples: 3, meanRSSIDBm: -60, farthestMetres: 900)])
        sum.add(
            HeardCoverage(cells: [
                Cell(direction: 1, band: 2, samples: 1, meanRSSIDBm: -100, farthestMetres: 30_000),
                Cell(direction: 4, band: 0, samples: 1, meanRSSIDBm: -80, farthestMetres: 5000),
            ]))
        #expect(
            sum.cells == [
                Cell(direction: 1, band: 2, samples: 1, meanRSSIDBm: -100, farthestMetres: 30_000),
                Cell(direction: 4, band: 0, samples: 4, meanRSSIDBm: -65, farthestMetres: 5000),
            ])
    }
}
