import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath

@Suite struct RouteLineTests {
    private static let start = Coordinate(latitude: 47, longitude: 8)

    @Test func aStraightRoadIsTwoPoints() throws {
        let points = (0...1000).map { Self.start.moved(east: Double($0) * 30, north: 0) }
        #expect(try #require(RouteLine(points)).points.count < 10)
    }

    @Test func cornersStay() throws {
        let corner = Self.start.moved(east: 500, north: 0)
        let end = corner.moved(east: 0, north: 500)
        let dense =
            (0..<50).map { Self.start.moved(east: Double($0) * 10, north: 0) }
            + (0...50).map { corner.moved(east: 0, north: Double($0) * 10) }
        let line = try #require(RouteLine(dense))
        #expect(line.points.first == Self.start && line.points.count == 3)
        #expect(line.points[1].distanceMetres(to: corner) < 15)
        #expect(try #require(line.points.last).distanceMetres(to: end) < 1)
    }

    /// No point of a random road lies far from the thinned line.
    @Test(arguments: 0..<10)
    func theLineStaysNearTheRoute(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var points = [Self.start]
        var heading = 0.0
        for _ in 0..<3000 {
            heading += (Double(random.next() % 1000) / 500 - 1) * (seed % 2 == 0 ? 0.3 : 2)
            let last = points[points.count - 1]
            points.append(last.moved(east: 12 * sin(heading), north: 12 * cos(heading)))
        }
        let line = try #require(RouteLine(points))
        #expect(line.points.count <= RouteLine.limit)
        let worst = points.map { line.distanceMetres(to: $0, from: Self.start) }.max() ?? 0
        #expect(worst < (seed % 2 == 0 ? 5 : 20), "\(worst)")
    }

    @Test func bounds() {
        #expect(RouteLine([]) == nil)
        #expect(RouteLine([Self.start])?.points == [Self.start])
        #expect(RouteLine([Self.start, Self.start])?.points.count == 2)
        #expect(RouteLine([Self.start, Coordinate(latitude: .nan, longitude: 8)]) == nil)
        #expect(RouteLine([Self.start, Coordinate(latitude: 91, longitude: 8)]) == nil)
        var random = SeededRandom(seed: 1)
        let wild = (0..<RouteLine.longest).map { _ in
            Coordinate(
                latitude: Double(random.next() % 180) - 89.5, longitude: Double(random.next() % 360) - 179.5)
        }
        #expect(RouteLine(wild)?.points.count ?? 0 <= RouteLine.limit)
        #expect(RouteLine(wild + [Self.start]) == nil)
    }

    @Test(arguments: [(100.0, 50.0, 50.0), (100, -49, 49), (-30, 40, 50), (1030, 40, 50), (500, 0, 0)])
    func distances(_ east: Double, _ north: Double, _ expected: Double) throws {
        let line = try #require(RouteLine([Self.start, Self.start.moved(east: 1000, north: 0)]))
        let metres = line.distanceMetres(to: Self.start.moved(east: east, north: north), from: Self.start)
        #expect(abs(metres - expected) < 0.5)
    }
}
