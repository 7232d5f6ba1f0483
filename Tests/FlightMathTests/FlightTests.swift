import ReceiverProtocol
import ReceiverSimulator
import Testing

@testable import FlightMath

@Suite struct FlightTests {
    private static func point(
        _ second: Int64, altitude: Double = 500, latitude: Double = 47, source: TelemetrySource = .ble
    ) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + second * 1000),
            coordinate: Coordinate(latitude: latitude, longitude: 8), altitudeMetres: altitude, source: source)
    }

    @Test func oneTrackPointASecondAndTheReceiverWins() {
        var track = Track()
        let first = track.insert(Self.point(10, altitude: 1, source: .sondehub))
        let replaced = track.insert(Self.point(10, altitude: 2))
        let second = track.insert(Self.point(10, altitude: 3))
        let worse = track.insert(Self.point(10, altitude: 4, source: .sondehub))
        let appended = track.insert(Self.point(12))
        let filledIn = track.insert(Self.point(11))
        #expect(
            [first, replaced, second, worse, appended, filledIn] == [
                .newest, .between, .none, .none, .newest, .between,
            ])
        #expect(track.points.map(\.altitudeMetres) == [2, 500, 500])
        #expect(track.points == track.points.sorted { $0.time < $1.time })
    }

    /// Points in any order give the same track as the same points one by one.
    @Test(arguments: 0..<20)
    func insertionOrderDoesNotMatter(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let points = (0..<400).map { _ in
            Self.point(
                Int64.random(in: 0..<200, using: &random), altitude: Double.random(in: 0...9, using: &random),
                source: Bool.random(using: &random) ? .ble : .sondehub)
        }
        var single = Track()
        var bulk = Track()
        for point in points.prefix(100) {
            single.insert(point)
            bulk.insert(point)
        }
        for point in points.dropFirst(100) { single.insert(point) }
        bulk.insert(contentsOf: Array(points.dropFirst(100)))
        #expect(single.points.map(\.time) == bulk.points.map(\.time))
        #expect(single.points.map(\.source) == bulk.points.map(\.source))
        #expect(Set(single.points.map(\.time.wholeSeconds)).count == single.points.count)
    }

    @Test func trackIsBounded() {
        var track = Track()
        for second in 0..<Int64(Track.limit + 10) { track.insert(Self.point(second)) }
        #expect(track.points.count <= Track.limit)
        #expect(track.newest == Self.point(Int64(Track.limit + 9)))
    }

    /// Values -> median.
    @Test(arguments: [([], 0), ([3], 3), ([3, 1], 2), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5)] as [([Double], Double)])
    func median(_ values: [Double], _ median: Double) {
        #expect(values.median == median)
    }

    @Test func motionIgnoresOutliersAndNoise() {
        var filter = MotionFilter()
        for second in 0..<60 { filter.add(Self.point(Int64(second), altitude: 500 + Double(second) * 5)) }
        let steady = filter.smoothed?.verticalSpeed ?? 0
        #expect(abs(steady - 5) < 0.01)
        filter.add(Self.point(60, altitude: 9000))
        #expect(abs((filter.raw?.verticalSpeed ?? 0) - 8205) < 1)
        #expect(abs((filter.smoothed?.verticalSpeed ?? 0) - 5) < 0.01)
        // A point that is earlier, or too late after the last one, gives no motion.
        filter.add(Self.point(60, altitude: 800))
        #expect(filter.raw == nil)
        filter.add(Self.point(121, altitude: 800))
        #expect(filter.raw == nil)
    }

    @Test func deadBandAndCourse() {
        var filter = MotionFilter()
        for second in 0..<30 { filter.add(Self.point(Int64(second), altitude: 500 + (second % 2 == 0 ? 0 : 0.04))) }
        #expect(filter.smoothed == .atRest)
        for second in 30..<90 { filter.add(Self.point(Int64(second), latitude: 47 + Double(second - 30) * 1e-4)) }
        #expect(abs((filter.smoothed?.horizontalSpeed ?? 0) - 11.12) < 0.1)
        #expect(filter.smoothed?.courseDegrees == 0)
    }

    @Test func adjustedDescentRateIsNegativeOrNothing() {
        var filter = MotionFilter()
        for second in 0..<60 { filter.add(Self.point(Int64(second), altitude: Double(second) * 5)) }
        #expect(filter.adjustedDescentRate == nil)
        for second in 60..<180 { filter.add(Self.point(Int64(second), altitude: 300 - Double(second - 60) * 8)) }
        #expect(abs((filter.adjustedDescentRate ?? 0) + 8) < 0.001)
    }

    /// Points further apart than half a minute are not compared, so a true rate is no outlier.
    @Test func sparsePointsAreNoOutliers() {
        var filter = MotionFilter()
        for step in 0..<10 { filter.add(Self.point(Int64(step) * 25, altitude: 500 + Double(step) * 125)) }
        filter.add(Self.point(250, altitude: 1625 - 250))
        #expect((filter.smoothed?.verticalSpeed ?? 0) < -8)
    }

    /// A wrong altitude or place changes neither the motion nor the highest point. The track keeps the point.
    @Test(arguments: [(0.0, 47.0), (40_000.0, 47.0), (900.0, 48.0), (.nan, 47.0), (1e9, 47.0), (700.0, .infinity)])
    func aBadPointIsLeftOut(_ altitude: Double, _ latitude: Double) {
        var flight = Flight()
        for second in 0..<100 { _ = flight.insert(Self.point(Int64(second), altitude: 500 + Double(second) * 5)) }
        #expect(flight.insert(Self.point(100, altitude: altitude, latitude: latitude)).isTaken)
        #expect(abs((flight.motion?.verticalSpeed ?? 0) - 5) < 0.01)
        #expect(flight.highest?.altitudeMetres == 995)
        #expect(flight.newest?.second == flight.track.points.last?.second)
        #expect(flight.track.points.count == 101)
    }

    /// If the points set aside agree with one another for a minute, they are accepted, and the short beginning was
    /// wrong.
    @Test func aWrongFirstFixIsOutvoted() {
        var flight = Flight()
        for second in 0..<5 { _ = flight.insert(Self.point(Int64(second), altitude: 30_000, latitude: 12)) }
        for second in 5..<200 { _ = flight.insert(Self.point(Int64(second), altitude: 500 + Double(second) * 5)) }
        #expect(flight.highest?.altitudeMetres == 1495)
        #expect(flight.phase == PhaseVerdict(.ascending, .verticalSpeed))
    }

    /// Altitudes of 0 are never accepted, even if they agree for long.
    @Test func zeroAltitudesAreRefused() {
        var flight = Flight()
        for second in 0..<60 { _ = flight.insert(Self.point(Int64(second), altitude: 5000 + Double(second) * 5)) }
        for second in 60..<600 { _ = flight.insert(Self.point(Int64(second), altitude: 0)) }
        #expect(flight.phase == PhaseVerdict(.ascending, .verticalSpeed))
        #expect(flight.burst == nil)
    }
}
