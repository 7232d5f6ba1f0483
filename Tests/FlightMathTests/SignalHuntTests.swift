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
        var (near, inside, half, count) = (0, 0, 0, 0)
        for seed in 0..<Self.hunts {
            guard let estimate = BearingEstimate(Self.hunt(seed, turn: turn)) else { continue }
            let error = estimate.coordinate.distanceMetres(to: Self.sonde)
            count += 1
            if error <= 200 { near += 1 }
            if error <= estimate.radius90Metres { inside += 1 }
            if error <= estimate.radius50Metres { half += 1 }
        }
        #expect(Double(near) >= least * Double(Self.hunts))
        #expect(Double(inside) >= 0.9 * Double(count))
        // These hunts end nearer to the sonde than the radii suppose, which they can't know.
        #expect((0.5...0.8).contains(Double(half) / Double(count)))
    }

    /// Of sondes that lie where the likelihood expects them, around the last bearing, the radii hold 50 % and 90 %.
    @Test(arguments: [0.0, 30, 60]) func theRadiiAreThoseOfTheLikelihood(_ turn: Double) {
        var (inside, half, count) = (0, 0, 0)
        for seed in 0..<Self.hunts {
            var random = SeededGenerator(seed: UInt64(seed + 77_777))
            // The way in ends at `here`, the last steps are 200 m and 150 m.
            var (places, here, angle) = ([Self.sonde], Self.sonde, 0.0)
            for step in [150.0, 200, 350, 600, 900, 1200, 1500] {
                angle += random.normal(turn) * .pi / 180
                here = here.moved(east: step * Double.sin(angle), north: step * Double.cos(angle))
                places.insert(here, at: 0)
            }
            let part = 1 - Double.random(in: 0..<1, using: &random)
            let metres = 150 * (1 / (part * part) - 1).squareRoot()
            let side = Double.random(in: 0..<2 * .pi, using: &random)
            let sonde = Self.sonde.moved(east: metres * Double.sin(side), north: metres * Double.cos(side))
            let bearings = places.map { place in
                let degrees = place.bearingDegrees(to: sonde) + random.normal(20) + 720
                return Bearing(from: place, degrees: degrees.truncatingRemainder(dividingBy: 360))
            }
            guard metres < 50_000, let estimate = BearingEstimate(bearings) else { continue }
            let error = estimate.coordinate.distanceMetres(to: sonde)
            count += 1
            if error <= estimate.radius90Metres { inside += 1 }
            if error <= estimate.radius50Metres { half += 1 }
        }
        #expect(count > Self.hunts * 9 / 10)
        #expect((0.4...0.6).contains(Double(half) / Double(count)), "\(half) of \(count)")
        #expect(Double(inside) >= 0.85 * Double(count), "\(inside) of \(count)")
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
