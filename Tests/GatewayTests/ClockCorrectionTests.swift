import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The corrected time with clocks that are wrong, are set, or jump.
@Suite struct ClockCorrectionTests {
    private static let year: Int64 = 31_536_000_000
    private static let noon = WallTime(millisecondsSince1970: Script.noon)

    private static func moment(_ seconds: Double, _ wall: WallTime, isSynced: Bool) -> Moment {
        Moment(monotonic: .zero.advanced(by: .seconds(seconds)), wall: wall, isClockSynced: isSynced)
    }

    /// A moment between two events gets the time that an event would get, and changes nothing.
    @Test(arguments: [year, -year]) func betweenEventsTheTimeIsTheReports(_ jump: Int64) {
        var line = ClockCorrection()
        var begun = Self.moment(0, Self.noon, isSynced: true)
        _ = line.follow(&begun)
        let before = line
        let jumped = Self.moment(7, Self.noon.advanced(byMilliseconds: 7000 + jump), isSynced: true)
        #expect(line.corrected(jumped).wall == Self.noon.advanced(byMilliseconds: 7000))
        #expect(line == before)
    }

    /// Was synchronised, is synchronised, jump -> whether the jump is followed.
    @Test(
        arguments: [
            (true, true, year, false), (true, true, -year, false), (true, false, year, false),
            (true, false, -year, false), (false, true, year, true), (false, true, -year, true),
            (false, false, year, true), (false, false, -year, false), (true, true, 1500, true),
            (true, true, -1500, true),
        ])
    func jumps(_ was: Bool, _ isNow: Bool, _ jump: Int64, _ isFollowed: Bool) {
        var line = ClockCorrection()
        var before = Self.moment(0, Self.noon, isSynced: was)
        let begun = line.follow(&before)
        #expect(begun == nil)
        let machine = before.wall.advanced(byMilliseconds: 1000 + jump)
        var after = Self.moment(1, machine, isSynced: isNow)
        let change = line.follow(&after)
        #expect(after.wall == (isFollowed ? machine : before.wall.advanced(byMilliseconds: 1000)))
        if abs(jump) > 2000 { #expect(change == (isFollowed ? .set(jump) : .ignored(jump))) }
        // A change is reported once.
        var later = Self.moment(2, machine.advanced(byMilliseconds: 1000), isSynced: isNow)
        let again = line.follow(&later)
        #expect(again == nil)
        #expect(later.wall > after.wall)
    }

    /// Synchronised, milliseconds by which SondeHub's clock is ahead -> whether it is used.
    @Test(
        arguments: [
            (false, 600_000, true), (false, -600_000, true), (false, 1500, false), (true, 600_000, false),
        ] as [(Bool, Int64, Bool)])
    func sondeHubsClock(_ isSynced: Bool, _ ahead: Int64, _ isTaken: Bool) {
        var line = ClockCorrection()
        var now = Self.moment(0, Self.noon, isSynced: isSynced)
        _ = line.follow(&now)
        let change = line.learn(Self.noon.advanced(byMilliseconds: ahead), &now)
        #expect(change == (isTaken ? .set(ahead) : nil))
        // The corrected time continues from there and ignores the machine's clock.
        var later = Self.moment(10, Self.noon.advanced(byMilliseconds: 10_000), isSynced: isSynced)
        let again = line.follow(&later)
        #expect(again == nil)
        #expect(later.wall == Self.noon.advanced(byMilliseconds: 10_000 + (isTaken ? ahead : 0)))
    }

    /// A slow download's time is old: it does not set the clock back. An answer that is far behind does.
    @Test func anOldAnswerDoesNotSetTheClockBack() {
        var line = ClockCorrection()
        var now = Self.moment(0, Self.noon, isSynced: false)
        _ = line.follow(&now)
        let steps: [(Int64, ClockCorrection.Change?)] = [
            (600_000, .set(600_000)), (596_500, nil), (600_000, nil), (301_000, nil), (604_000, .set(4000)),
            (300_000, .set(-304_000)),
        ]
        for (ahead, change) in steps {
            let learnt = line.learn(Self.noon.advanced(byMilliseconds: ahead), &now)
            #expect(learnt == change, "\(ahead)")
        }
    }

    /// Without a clock battery the time continues after the newest time of an earlier run, until the network sets the
    /// clock.
    @Test func theTimeContinuesAfterTheStoredOne() {
        var line = ClockCorrection()
        var now = Self.moment(0, Self.noon.advanced(byMilliseconds: -Self.year), isSynced: false)
        let moved = line.begin(after: Self.noon, at: now)
        let begun = line.follow(&now)
        #expect(moved == nil && begun == nil)
        #expect(now.wall == Self.noon.advanced(byMilliseconds: 1))
        var set = Self.moment(5, Self.noon.advanced(byMilliseconds: 60_000), isSynced: true)
        let change = line.follow(&set)
        #expect(change == .set(60_000 - 5001))
        #expect(set.wall == Self.noon.advanced(byMilliseconds: 60_000))
    }

    /// A moment is shown by the present clock: after it was set, and after it has drifted by as much.
    @Test func aMomentIsShownByThePresentClock() {
        var clock = RunClock()
        let begun = Self.moment(0, Self.noon, isSynced: false)
        #expect(clock.rendered(begun) == begun)
        clock.follow(begun)
        // A small correction changes nothing, so that a report does not change with each event.
        clock.follow(Self.moment(10, Self.noon.advanced(byMilliseconds: 11_900), isSynced: true))
        #expect(clock.rendered(begun) == begun)
        let ahead = Self.noon.advanced(byMilliseconds: 7_200_000)
        clock.follow(Self.moment(60, ahead.advanced(byMilliseconds: 60_000), isSynced: true))
        #expect(clock.rendered(begun).wall == ahead)
        let later = Self.moment(90, ahead.advanced(byMilliseconds: 90_040), isSynced: true)
        #expect(clock.rendered(later) == later)
    }

    /// The computer stood still for ten minutes, and its monotonic clock with it. The earlier times were right.
    @Test func timesBeforeAPauseStay() {
        var clock = RunClock()
        let begun = Self.moment(0, Self.noon, isSynced: true)
        clock.follow(begun)
        let old = clock
        let after = Self.noon.advanced(byMilliseconds: 660_000)
        let resumed = Self.moment(60, after, isSynced: true)
        clock.follow(resumed, afterPause: true)
        #expect(clock.rendered(begun) == begun && clock.corrected(begun) == begun)
        #expect(clock.rendered(resumed) == resumed)
        let time = Self.noon.advanced(byMilliseconds: 30_000)
        #expect(clock.corrected(time, by: old) == time)
        // Later times follow the clock when it is set.
        clock.follow(Self.moment(70, after.advanced(byMilliseconds: 70_000), isSynced: true))
        #expect(clock.rendered(resumed).wall == after.advanced(byMilliseconds: 60_000))
        #expect(clock.rendered(begun) == begun)
    }

    /// The network sets a clock that was two hours behind: the state's beginning and the start get the right time.
    @Test func theStateAndTheStartGetTheSetTime() throws {
        var script = Script(isClockSynced: false)
        script.connect()
        for _ in 0..<5 {
            script.wait(1)
            script.frame(Script.position())
        }
        func times() -> [WallTime?] {
            var startedAt: WallTime?
            if case .info(let told)? = script.newest[.info] { startedAt = told.startedAt.wall }
            return [script.stateReport?.since.wall, startedAt]
        }
        let before = times()
        #expect(before.allSatisfy { $0 != nil })
        script.now.wall = script.now.wall.advanced(byMilliseconds: 7_200_000)
        script.now.isClockSynced = true
        script.frame(Script.position())
        #expect(times() == before.map { $0?.advanced(byMilliseconds: 7_200_000) })
        var told: [Report] = []
        for _ in 0..<20 {
            let outcome = script.wait(1) + script.frame(Script.position())
            told += outcome.reports.filter { $0.kind == .info }
        }
        #expect(told.isEmpty, "the right time does not change any more")
    }
}
