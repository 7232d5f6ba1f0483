import ReceiverProtocol
import Testing

@testable import Gateway

/// Of two frames one wakes the disk; nothing else waits for that.
@Suite struct StorePairTests {
    private func point(_ second: Int) -> FlightLogEntry { StoreBench.point(second) }

    private func record(_ second: Int, _ bench: inout StoreBench, after wait: Duration) {
        bench.wait(wait)
        bench.run(.recorded(point(second)))
    }

    @Test(arguments: [Duration.milliseconds(1000), .milliseconds(960), .milliseconds(1040)])
    func twoFramesCostOneCallAndNoTimer(_ cadence: Duration) {
        var bench = StoreBench()
        for second in 0..<10 {
            record(second, &bench, after: cadence)
            #expect(bench.calls == Array(repeating: "save 0 -0 +2", count: (second + 1) / 2))
        }
        #expect(bench.recorded == (0..<10).map(point))
        #expect(bench.machine.deadline == nil)
    }

    /// What a crash may cost.
    @Test func aPointThatNoneFollowsWaitsForLittleMoreThanASecond() {
        var bench = StoreBench()
        record(0, &bench, after: .seconds(1))
        #expect(bench.machine.deadline == bench.now.advanced(by: .milliseconds(1050)))
        bench.wait(.milliseconds(1049))
        #expect(bench.calls.isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.calls == ["save 0 -0 +1"])
    }

    @Test func whatIsSetTakesItAlongAtOnce() {
        var bench = StoreBench()
        record(0, &bench, after: .seconds(1))
        bench.wait(.milliseconds(100))
        bench.run(.recorded(.setting(.hunt, "V4210150")))
        #expect(bench.calls == ["save 0 -0 +2"])
        #expect(bench.recorded == [point(0), .setting(.hunt, "V4210150")])
    }

    /// The same for what the broker can't have, for a whole track, and for the end.
    @Test func nothingElseWaits() {
        var bench = StoreBench()
        record(0, &bench, after: .seconds(1))
        _ = bench.keep()
        bench.feed(.timePassed)
        #expect(bench.calls == ["save 1 -0 +1"])

        bench.wait(.seconds(1))
        bench.run(.recorded(StoreBench.points([1, 2])))
        #expect(bench.calls.last == "save 0 -0 +1")

        record(3, &bench, after: .seconds(1))
        bench.run(.closing)
        #expect(bench.calls.last == "save 0 -0 +1" && bench.closed == .closed(lost: 0, nil))
    }

    /// The answer of the call before has been left to the next turn, which may be long in coming.
    @Test func aPointBehindASlowDiskIsNotForgotten() {
        var bench = StoreBench()
        record(0, &bench, after: .seconds(1))
        bench.fault = .slow
        record(1, &bench, after: .seconds(1))
        #expect(bench.isCalling && !bench.machine.awaitsAnswer(at: bench.now))
        record(2, &bench, after: .seconds(1))
        #expect(bench.machine.awaitsAnswer(at: bench.now))
        bench.fault = nil
        bench.answer()
        bench.wait(.milliseconds(1050))
        #expect(bench.recorded == (0..<3).map(point))
    }

    @Test func aDiskThatTookNothingGetsThemAllWhenItIsTriedAgain() {
        var bench = StoreBench()
        bench.fault = .full
        for second in 0..<4 { record(second, &bench, after: .seconds(1)) }
        #expect(bench.calls == ["save 0 -0 +2"])
        bench.fault = nil
        bench.wait(.seconds(5))
        #expect(bench.recorded == (0..<4).map(point))
    }

    /// Faster than any receiver: memory has a bound.
    @Test func aFloodIsNotGathered() {
        var bench = StoreBench()
        bench.wait(.seconds(1))
        for second in 0..<StoreMachine.batchLimit { bench.feed(.recorded(point(second))) }
        bench.feed(.timePassed)
        #expect(bench.calls == ["save 0 -0 +2000"])
    }
}
