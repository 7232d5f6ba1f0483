import RealModule
import ReceiverSimulator
import Testing

@testable import FlightMath

/// Hunts by bearings that are wrong by 20° (one standard deviation), and the figures of `deploy/doc/hunt.md`.
@Suite struct SignalHuntTests {
    private static let sonde = Coordinate(latitude: 47.1, longitude: 8.2)
    private static let distances = [5000.0, 3500, 2300, 1400, 800, 450, 250, 100]
    private static let hunts = 200

    /// The bearings of one hunt.
    /// - Parameter turn: the standard deviation by which the crew comes from another side at each bearing, degrees.
    private static func hunt(_ seed: Int, turn: Double, at distances: [Double] = distances) -> [Bearing] {
        var random = SeededGenerator(seed: UInt64(seed))
        var side = Double.random(in: 0..<360, using: &random)
        return distances.map { metres in
            let angle = side * .pi / 180
            let place = sonde.moved(east: metres * Double.sin(angle), north: metres * Double.cos(angle))
            let degrees = place.bearingDegrees(to: sonde) + random.normal(20) + 720
            side += random.normal(turn)
            return Bearing(from: place, degrees: degrees.truncatingRemainder(dividingBy: 360))
        }
    }

    /// The way in decides: who drives straight towards the signal sees only its direction.
    @Test(arguments: [(0.0, 0.65), (15, 0.8), (30, 0.9)])
    func eightBearingsLeadToTheSonde(_ turn: Double, _ least: Double) {
        var (near, inside, count) = (0, 0, 0)
        for seed in 0..<Self.hunts {
            guard let estimate = BearingEstimate(Self.hunt(seed, turn: turn)) else { continue }
            let error = estimate.coordinate.distanceMetres(to: Self.sonde)
            count += 1
            if error <= 200 { near += 1 }
            if error <= estimate.radius90Metres { inside += 1 }
        }
        #expect(Double(near) >= least * Double(Self.hunts))
        #expect(Double(inside) >= 0.9 * Double(count))
    }

    /// From afar the bearings hardly show the distance, and the radius says so.
    @Test(arguments: [0.0, 15, 30]) func theRadiusIsHonestFromAfar(_ turn: Double) {
        let estimates = (0..<Self.hunts).compactMap { seed in
            BearingEstimate(Self.hunt(seed, turn: turn, at: [5000, 4500, 4000, 3600, 3200, 2800]))
        }
        let inside = estimates.count { $0.coordinate.distanceMetres(to: Self.sonde) <= $0.radius90Metres }
        #expect(Double(inside) >= 0.8 * Double(estimates.count) && estimates.count > Self.hunts / 2)
    }

    /// On its way in the crew sees the radius shrink.
    @Test func theRadiusShrinksOnTheWayIn() throws {
        let bearings = Self.hunt(4, turn: 30)
        let first = try #require(BearingEstimate(Array(bearings.prefix(5))))
        let last = try #require(BearingEstimate(bearings))
        #expect(last.radius90Metres < first.radius90Metres / 2)
    }
}
