import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway

/// The gateway does not wait for a store that opens slowly or never.
@Suite struct StoreOpeningTests {
    private static let memory = GatewayMemory(settings: [.hunt: "V4210150 1"])

    private func stored(_ key: UInt64) -> SpooledMessage {
        SpooledMessage(key: key, topic: "t", payload: [UInt8(truncatingIfNeeded: key)], at: nil)
    }

    /// A store with two messages of an earlier run, which answers only when the test says so.
    private func slow() -> StoreBench {
        var bench = StoreBench(isOpen: false)
        bench.memory = Self.memory
        for key in [99, 100] as [UInt64] { bench.disk[key] = stored(key) }
        bench.fault = .slow
        bench.feed(.timePassed)
        return bench
    }

    @Test func theGatewayStartsWithItsMemory() {
        var bench = StoreBench(isOpen: false)
        bench.memory = Self.memory
        bench.feed(.timePassed)
        #expect(bench.calls == ["open"] && bench.started == [Self.memory] && bench.recalled.isEmpty)
        #expect(bench.machine.deadline == nil)
    }

    @Test func theMemoryComesLater() {
        var bench = slow()
        bench.wait(.milliseconds(1999))
        #expect(bench.started.isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.started == [nil] && bench.recalled.isEmpty)
        bench.wait(.seconds(60))
        #expect(bench.calls == ["open"])
        bench.fault = nil
        bench.answer()
        #expect(bench.started == [nil] && bench.recalled == [Self.memory] && bench.told.isEmpty)
    }

    /// Messages that came before the opening get keys above those in the store.
    @Test(arguments: [false, true]) func noKeyIsUsedTwice(_ hasEnded: Bool) {
        var bench = slow()
        bench.run(.sessionBegan)
        let sent = (0..<4).map { _ in bench.send() }
        bench.run(.recorded(StoreBench.point(0)))
        bench.run(.acknowledged([sent[0]]))
        if hasEnded { bench.run(.sessionEnded) }
        bench.wait(.milliseconds(600))
        #expect(bench.calls == ["open"])
        bench.fault = nil
        bench.answer()
        bench.run(.acknowledged([sent[1]]))
        bench.wait(.seconds(1))
        let kept: [UInt64] = hasEnded ? [102, 103, 104] : [103, 104]
        #expect(bench.disk.keys.sorted().filter { $0 > 100 } == kept)
        #expect(bench.disk[104] == SpooledMessage(key: 104, topic: "t", payload: [4], at: nil))
        #expect(bench.recorded == [StoreBench.point(0)])
        #expect(bench.machine.depth == 2 + kept.count)
    }

    /// Earlier runs' records may have the times of this run's wrong clock. They must stay.
    @Test func aClockSetBeforeTheFirstSaveChangesOnlyWhatWaits() {
        var bench = slow()
        bench.run(.recorded(StoreBench.points([0, 1])))
        let start = WallTime(millisecondsSince1970: 1_800_000_000_000)
        bench.run(.recorded(.clockSet(ClockStep(byMilliseconds: 146_000, since: start))))
        bench.run(.recorded(StoreBench.point(148)))
        bench.fault = nil
        bench.answer()
        bench.wait(.seconds(1))
        #expect(bench.recorded == [StoreBench.points([146, 147]), StoreBench.point(148)])
        let second = ClockStep(byMilliseconds: 60_000, since: start.advanced(byMilliseconds: 146_000))
        let later = FlightLogEntry.clockSet(second)
        bench.run(.recorded(later))
        bench.wait(.seconds(1))
        #expect(bench.recorded.last == later)
    }

    /// Messages of an earlier run are replayed with keys of this run, each once.
    @Test func earlierMessagesAreReplayedToo() {
        var bench = slow()
        let kept = (0..<3).map { _ in bench.keep() }
        bench.run(.sessionBegan)
        bench.wait(.milliseconds(600))
        #expect(bench.replayed.isEmpty)
        // The wait for the store is over.
        bench.wait(.seconds(2))
        #expect(bench.replayed == kept)
        bench.feed(.acknowledged([kept[0]]))
        bench.fault = nil
        bench.answer()
        bench.wait(.seconds(2))
        #expect(bench.replayed.count == 5 && Set(bench.replayed).count == 5)
        bench.feed(.acknowledged(bench.replayed))
        bench.wait(.seconds(2))
        #expect(bench.disk.isEmpty && bench.machine.depth == 0 && bench.machine.replayed == 5)
        #expect(bench.machine.deadline == nil)
    }

    @Test func aStoreThatDoesNotOpenIsTriedAgain() {
        var bench = StoreBench(isOpen: false)
        bench.memory = Self.memory
        bench.fault = .dead
        bench.feed(.timePassed)
        #expect(bench.started == [nil] && bench.told == [StoreBench.dead])
        bench.run(.sessionBegan)
        let key = bench.keep()
        bench.wait(.seconds(3))
        #expect(bench.replayed == [key])
        bench.run(.acknowledged([key]))
        bench.run(.recorded(StoreBench.point(0)))
        bench.wait(.seconds(12))
        #expect(bench.calls == ["open", "open", "open", "open"])
        bench.fault = nil
        bench.wait(.seconds(5))
        #expect(bench.recalled == [Self.memory] && bench.told == [StoreBench.dead, nil])
        #expect(bench.recorded == [StoreBench.point(0)])
    }

    /// And says that the store was opening: the disk may be fast, and the store large and of an older version.
    @Test func theEndDoesNotWaitForAStoreThatHangs() {
        var idle = slow()
        idle.run(.closing)
        #expect(idle.closed == .closed(unsaved: 0, nil))
        var bench = slow()
        _ = bench.keep()
        bench.run(.recorded(StoreBench.point(0)))
        bench.run(.closing)
        bench.wait(.milliseconds(1400))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(200))
        #expect(bench.closed == .closed(unsaved: 2, .opening))
    }

    @Test func aStopStillSavesToAStoreThatOpensInTime() {
        var bench = slow()
        _ = bench.keep()
        bench.run(.closing)
        bench.fault = nil
        bench.answer()
        bench.wait(.milliseconds(100))
        #expect(bench.closed == .closed(unsaved: 0, nil) && bench.disk.count == 3)
    }
}
