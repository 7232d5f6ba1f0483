import Testing

@testable import FlightMath

/// When the balloon counts as let go.
@Suite struct LaunchPadTests {
    private static func judged(_ altitudes: [Double], every seconds: Double = 1) -> FlightJudge {
        var judge = FlightJudge()
        var changes: [Flight.Change] = []
        let start = WallTime(millisecondsSince1970: 1_800_000_000_000)
        for (index, altitude) in altitudes.enumerated() {
            let time = start.advanced(by: .seconds(Double(index) * seconds))
            let place = Coordinate(latitude: 47, longitude: 8 + altitude * 1e-7)
            judge.add(TrackPoint(time: time, coordinate: place, altitudeMetres: altitude, source: .ble), &changes)
        }
        return judge
    }

    /// The altitude on the pad slides by 70 m within a minute, and back.
    private static let slide = (0..<120).map { 500 + 70 * Double(min($0, 120 - $0)) / 60 }

    @Test func anAltitudeThatSlidesIsNoClimb() {
        let judge = Self.judged(Self.slide + Self.slide)
        #expect(!judge.isLetGo && judge.pad.metres == nil)
    }

    /// One bad fix on the pad is no climb.
    @Test func aBadFixIsNoClimb() {
        var altitudes = [Double](repeating: 500, count: 200)
        altitudes[150] = 640
        #expect(!Self.judged(altitudes).isLetGo)
    }

    /// After ten minutes on the pad the climb is seen within 40 s, and its rate has none of the pad.
    @Test func theClimbIsSeen() {
        let pad = (0..<5).flatMap { _ in Self.slide }
        let climb = (1...100).map { 500 + 5 * Double($0) }
        #expect(Self.judged(pad + climb.prefix(40)).isLetGo)
        #expect(!Self.judged(pad + climb.prefix(10)).isLetGo)
        let judge = Self.judged(pad + climb)
        #expect(abs(OwnWindsPredictor().ascentRate(judge) - 5) < 0.5)
        #expect(judge.pad.metres.map { abs($0 - 535) < 20 } ?? false)
    }

    /// A balloon that is first heard in its climb was never on the pad, also if points are rare.
    @Test(arguments: [1.0, 10, 30]) func firstHeardInTheClimb(_ seconds: Double) {
        let judge = Self.judged((0..<61).map { 800 + 5 * seconds * Double($0) }.filter { $0 < 2400 }, every: seconds)
        #expect(judge.isLetGo && judge.pad.metres == nil)
        #expect(Self.judged([2600]).isLetGo)
    }
}
