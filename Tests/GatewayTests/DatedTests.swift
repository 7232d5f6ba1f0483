import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// Times of this run follow the clock when it is set. Those of an earlier run and of other machines stay.
@Suite struct DatedTests {
    private static let start = Script().now

    /// The clock of a run, `seconds` after its start, that was set by `change` seconds meanwhile.
    private static func clock(_ seconds: Double, setBy change: Double = 0) -> RunClock {
        var clock = RunClock()
        clock.follow(start)
        clock.follow(moment(seconds, setBy: change))
        return clock
    }

    private static func moment(_ seconds: Double, setBy change: Double = 0) -> Moment {
        Moment(
            monotonic: start.monotonic.advanced(by: .seconds(seconds)),
            wall: start.wall.advanced(by: .seconds(seconds + change)), isClockSynced: false)
    }

    private static func place(_ seconds: Double) -> EarlierLandingPoint {
        EarlierLandingPoint(coordinate: Coordinate(latitude: 47, longitude: 8), time: moment(seconds).wall)
    }

    /// When the value was made, and by how much the clock was set after that, seconds -> by how much its time moves.
    @Test(
        arguments: [
            (10, 0, 0), (10, 1.5, 0), (10, 7200, 7200), (10, -7200, -7200), (0, 7200, 7200), (-1, 7200, 0),
            (-86_400, 7200, 0),
        ] as [(Double, Double, Double)])
    func timesOfThisRunMove(_ made: Double, _ change: Double, _ expected: Double) {
        let (then, present) = (Self.clock(10), Self.clock(20, setBy: change))
        let dated = Dated(Self.place(made), by: then)
        #expect(dated.value(by: present) == Self.place(made + expected))
        #expect(dated.time(\.time, by: present) == Self.place(made + expected).time)
        #expect(dated.value(by: then) == Self.place(made))
        let moment = Self.moment(made)
        #expect(present.corrected(moment).wall == moment.wall.advanced(by: .seconds(expected)))
    }

    /// A value that was made after the clock had been set moves only with the next change.
    @Test func eachChangeMovesWhatWasMadeBefore() {
        let present = Self.clock(20, setBy: -600)
        for change in [0, 3600, -600] as [Double] {
            let dated = Dated(Self.place(20 + change), by: Self.clock(20, setBy: change))
            #expect(dated.value(by: present) == Self.place(20 - 600), "\(change)")
        }
    }

    /// The times of other machines and of earlier runs were right.
    @Test func otherTimesStay() {
        let dated = Dated(fromElsewhere: Self.place(10))
        #expect(dated.value(by: Self.clock(20, setBy: 7200)) == Self.place(10))
        #expect(dated.time(\.time, by: Self.clock(20, setBy: 7200)) == Self.place(10).time)
    }
}
