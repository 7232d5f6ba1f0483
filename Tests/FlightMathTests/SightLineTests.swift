import Testing

@testable import FlightMath

/// The sight over the ground from the car to the sonde, and from the sonde in all directions.
@Suite struct SightLineTests {
    private static let car = Coordinate(latitude: 47, longitude: 8)

    private static func line(_ kilometres: Double, sonde: Double, car: Double? = nil) -> SightLine {
        SightLine(
            from: Self.car, carMetres: car, to: Self.car.moved(east: kilometres * 1000, north: 0), sondeMetres: sonde)
    }

    /// Over the sea an antenna at 2 m sees a sonde at 1000 m up to 136 km, because the Earth seems larger by a third.
    /// Kilometres, the sonde's and the ground's altitude -> whether the sonde is in sight.
    @Test(arguments: [
        (134.0, 1000.0, 0.0, true), (139, 1000, 0, false), (50, 5000, 500, true), (50, 510, 500, false),
        (20, 501, 500, false), (5, 501, 500, true), (0, 500, 500, true), (300, 30_000, 0, true),
    ]) func flatGround(_ kilometres: Double, _ sonde: Double, _ ground: Double, _ isClear: Bool) {
        let line = Self.line(kilometres, sonde: sonde)
        #expect(line.isClear(over: Array(repeating: ground, count: line.ground.count)) == isClear)
    }

    /// The height of a hill halfway along 20 km, from 500 m to a sonde at 1500 m. The line is 996 m high there.
    @Test(arguments: [(990.0, true), (1000, false)]) func aHill(_ metres: Double, _ isClear: Bool) {
        let line = Self.line(20, sonde: 1500)
        var heights: [Double?] = Array(repeating: 500, count: line.ground.count)
        heights[line.ground.count / 2] = metres
        #expect(line.isClear(over: heights) == isClear)
    }

    /// A hole in the heights of less than 1 km is filled. A longer one leaves the answer open, unless a known hill
    /// hides the sonde. Where the line is above 9000 m, no height is needed.
    @Test func holes() {
        let line = Self.line(20, sonde: 1500)
        let flat: [Double?] = Array(repeating: 500, count: line.ground.count)
        let middle = line.ground.count / 2
        func with(_ height: Double?, _ range: Range<Int>) -> [Double?] {
            var heights = flat
            for index in range { heights[index] = height }
            return heights
        }
        #expect(line.isClear(over: with(nil, middle..<middle + 9)) == true)
        #expect(line.isClear(over: with(nil, middle..<middle + 30)) == nil)
        var hidden = with(nil, middle..<middle + 30)
        hidden[10] = 900
        #expect(line.isClear(over: hidden) == false)
        #expect(line.isClear(over: flat.map { _ in nil }) == nil && line.isClear(over: []) == nil)
        // Without the ground at the car its own altitude counts.
        #expect(line.isClear(over: with(nil, 0..<1)) == nil)
        #expect(Self.line(20, sonde: 1500, car: 502).isClear(over: with(nil, 0..<1)) == true)
        let high = Self.line(60, sonde: 30_000)
        #expect((17_000...20_000).contains(high.ground.metres))
        #expect(high.isClear(over: Array(repeating: 500, count: high.ground.count)) == true)
        for odd in [Double.infinity, .nan, -1e300] { _ = Self.line(20, sonde: odd).ground.place(1) }
    }

    @Test func whenToAskAgain() {
        let line = Self.line(20, sonde: 1500)
        #expect(!Self.line(20.09, sonde: 1549).isFar(from: line) && Self.line(20.2, sonde: 1500).isFar(from: line))
        #expect(Self.line(20, sonde: 1560).isFar(from: line))
    }

    /// Over the sea the ring is a circle with the radio range as its radius. A wall in the north hides everything
    /// behind it. Behind a ridge in the east only a valley is hidden.
    @Test func theRing() throws {
        let horizon = RadioHorizon(of: Self.car, at: 600)
        let sea: [[Double?]] = horizon.lines.map { Array(repeating: 0, count: $0.count) }
        let range = 4121 * 600.0.squareRoot()
        let circle = try #require(horizon.ring(over: sea))
        #expect(circle.count == 72)
        #expect(circle.allSatisfy { abs($0.distanceMetres(to: Self.car) / range - 1) < 0.005 })
        var hilly = sea
        let step = horizon.lines[0].metres / Double(horizon.lines[0].count - 1)
        hilly[0][Int(10_000 / step)] = 2000
        hilly[18][Int(20_000 / step)] = 45
        let ring = try #require(horizon.ring(over: hilly))
        #expect(abs(ring[0].distanceMetres(to: Self.car) - 10_000) < 2 * step && ring[0].latitude > Self.car.latitude)
        #expect(ring[18] == circle[18] && ring[36] == circle[36])
        #expect(horizon.ring(over: sea.map { $0.map { _ in nil } }) == nil && horizon.ring(over: []) == nil)
    }

    /// On a plain a sonde on the ground is heard for some kilometres around, not as far as over the sea. Unknown ground
    /// counts as high as the last known ground.
    @Test func onThePlain() throws {
        let horizon = RadioHorizon(of: Self.car, at: 500)
        let plain: [[Double?]] = horizon.lines.map { line in (0..<line.count).map { $0 < 100 ? 500 : nil } }
        let ring = try #require(horizon.ring(over: plain))
        #expect(ring.allSatisfy { (8000...12_000).contains($0.distanceMetres(to: Self.car)) })
    }
}
