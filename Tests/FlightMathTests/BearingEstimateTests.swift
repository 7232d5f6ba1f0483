import RealModule
import ReceiverSimulator
import TestSupport
import Testing

@testable import FlightMath

/// The place of a signal by bearings.
@Suite struct BearingEstimateTests {
    private static let sonde = Coordinate(latitude: 47.1, longitude: 8.2)

    /// A bearing of the sonde, taken at this distance and seen from the sonde in this direction.
    private static func bearing(
        at metres: Double, towards degrees: Double, wrongBy error: Double = 0, sigma: Double = 20
    ) -> Bearing {
        let angle = degrees * .pi / 180
        let place = sonde.moved(east: metres * Double.sin(angle), north: metres * Double.cos(angle))
        let direction = (place.bearingDegrees(to: sonde) + error + 360).truncatingRemainder(dividingBy: 360)
        return Bearing(from: place, degrees: direction, errorDegrees: sigma)
    }

    @Test func exactBearingsMeetAtTheSonde() throws {
        let estimate = try #require(
            BearingEstimate([(2000.0, 0.0), (1500, 70), (900, 200)].map { Self.bearing(at: $0.0, towards: $0.1) }))
        #expect(estimate.coordinate.distanceMetres(to: Self.sonde) < 60)
        #expect(estimate.count == 3 && estimate.radius50Metres < estimate.radius90Metres)
        #expect(estimate.radius90Metres > 300)
    }

    @Test func twoBearingsGiveNoPlace() {
        #expect(BearingEstimate([Self.bearing(at: 900, towards: 0), Self.bearing(at: 900, towards: 90)]) == nil)
        #expect(BearingEstimate([]) == nil)
    }

    /// A drive straight towards the signal shows its direction only.
    @Test func linesThatHardlyCrossGiveNoPlace() {
        let inLine = [3000.0, 2000, 1000].map { Self.bearing(at: $0, towards: 180, wrongBy: $0 / 500) }
        #expect(BearingEstimate(inLine) == nil)
    }

    @Test func oneWrongBearingDoesNotCount() throws {
        var bearings = stride(from: 0.0, to: 240, by: 40).map { Self.bearing(at: 1200, towards: $0, sigma: 10) }
        bearings.insert(Self.bearing(at: 800, towards: 100, wrongBy: 140, sigma: 10), at: 2)
        let estimate = try #require(BearingEstimate(bearings))
        #expect(estimate.isUsed == [true, true, false, true, true, true, true])
        #expect(estimate.coordinate.distanceMetres(to: Self.sonde) < 60)
    }

    /// A bearing from another country does not count, and a plane is not asked for it.
    @Test func aBearingFromFarAwayDoesNotCount() throws {
        var bearings = [(2000.0, 0.0), (1500, 70), (900, 200)].map { Self.bearing(at: $0.0, towards: $0.1) }
        bearings.insert(Bearing(from: Coordinate(latitude: 40, longitude: -70), degrees: 10), at: 0)
        let estimate = try #require(BearingEstimate(bearings))
        #expect(estimate.isUsed == [false, true, true, true])
    }

    private static var around: [Bearing] {
        [0.0, 85, 170, 255].map { bearing(at: 800, towards: $0, wrongBy: 5, sigma: 10) }
    }

    /// Sixty bearings from one place are wrong by the same. They weigh as one, and displace no other.
    @Test(arguments: [true, false]) func repeatsFromOnePlaceWeighAsOne(_ isByFinder: Bool) throws {
        var repeated = Self.bearing(at: 1500, towards: 40, wrongBy: 25)
        repeated.isByFinder = isByFinder
        let once = try #require(BearingEstimate(Self.around + [repeated]))
        let often = try #require(BearingEstimate(Self.around + Array(repeating: repeated, count: 60)))
        #expect(often.isUsed.prefix(4) == [true, true, true, true])
        #expect(often.coordinate.distanceMetres(to: once.coordinate) < 5)
        #expect(abs(often.radius50Metres - once.radius50Metres) < 0.01 * once.radius50Metres)
        #expect(abs(often.radius90Metres - once.radius90Metres) < 0.01 * once.radius90Metres)
    }

    /// The observer's position wanders by some metres while he stands.
    @Test func bearingsFromOnePlaceDoNotCross() {
        let standing = (0..<20).map { index in
            Self.bearing(at: 900 + Double(index % 5), towards: 0, wrongBy: index % 2 == 0 ? 25 : -25)
        }
        #expect(BearingEstimate(standing) == nil)
    }

    /// A direction finder drives by, and sends more bearings than can count. A person's earlier ones count first.
    @Test func aPersonsBearingsComeFirst() throws {
        let driven = (0..<100).map { index in
            var bearing = Self.bearing(at: 3000, towards: Double(index) * 2)
            bearing.isByFinder = true
            return bearing
        }
        let estimate = try #require(BearingEstimate(Self.around + driven))
        #expect(estimate.isUsed.prefix(4) == [true, true, true, true])
        #expect(estimate.count == 60 && estimate.isUsed.suffix(56).allSatisfy { $0 })
    }

    /// The exact bearing weighs more than the vague one.
    @Test func anExactBearingWeighsMore() throws {
        let estimate = try #require(
            BearingEstimate([
                Self.bearing(at: 1000, towards: 0, wrongBy: 15, sigma: 30),
                Self.bearing(at: 1000, towards: 0.1, wrongBy: 0, sigma: 2),
                Self.bearing(at: 1000, towards: 90, wrongBy: 0, sigma: 2),
            ]))
        #expect(estimate.coordinate.distanceMetres(to: Self.sonde) < 30)
    }

    /// The longer axis lies along the bearings that come from one side.
    @Test func theEllipsePointsAlongTheBearings() throws {
        let estimate = try #require(
            BearingEstimate([160.0, 170, 180, 190, 200].map { Self.bearing(at: 2000, towards: $0, sigma: 5) }))
        let tilt = abs(estimate.ellipse.bearingDegrees.remainder(dividingBy: 180))
        #expect(tilt < 10)
        #expect(estimate.ellipse.semiMajorMetres > 1.5 * estimate.ellipse.semiMinorMetres)
    }

    /// Whatever the bearings are, numbers stay finite.
    @Test(arguments: 0..<40) func anyBearingsAreBorne(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let bearings = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            Bearing(
                from: Coordinate(
                    latitude: 89.9 + Double.random(in: -0.1...0.1, using: &random),
                    longitude: Double.random(in: -180...180, using: &random)),
                degrees: Double.random(in: 0..<360, using: &random),
                errorDegrees: Double.random(in: 1...90, using: &random))
        }
        guard let estimate = BearingEstimate(bearings) else { return }
        #expect(estimate.radius90Metres.isFinite && estimate.coordinate.latitude.isFinite)
        #expect(estimate.isUsed.count == bearings.count && estimate.count >= 3)
    }
}
