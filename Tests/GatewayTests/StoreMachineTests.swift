import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite struct StoreMachineTests {
    private func entry(_ number: Int) -> FlightLogEntry { .setting(.hunt, "\(number)") }

    // MARK: - Writing

    /// A frame a second makes one call each, because the acknowledgement comes before the message is overdue.
    @Test func oneCallAFrame() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        for second in 0..<5 {
            let key = bench.send()
            bench.run(.recorded(StoreBench.point(second)))
            #expect(bench.calls == Array(repeating: "save 0 -0 +1", count: second + 1))
            bench.run(.acknowledged([key]))
            bench.wait(.seconds(1))
        }
        bench.wait(DurabilityTickets.syncInterval)
        #expect(bench.machine.deadline == nil)
        #expect(bench.recorded == (0..<5).map(StoreBench.point))
        #expect(bench.disk.isEmpty && bench.machine.depth == 0)
    }

    /// Faster frames are saved together, in one call at a time.
    @Test func gathersHalfASecond() {
        var bench = StoreBench()
        bench.run(.recorded(entry(0)))
        for number in 1..<10 {
            bench.wait(.milliseconds(100))
            bench.run(.recorded(entry(number)))
            _ = bench.keep()
        }
        bench.wait(.milliseconds(500))
        #expect(bench.calls == ["save 0 -0 +1", "save 4 -0 +4", "save 5 -0 +5"])
        #expect(bench.recorded == (0..<10).map(entry))
        bench.wait(DurabilityTickets.syncInterval)
        #expect(bench.machine.deadline == nil)
    }

    @Test func aSlowBrokerIsCoveredByTheDisk() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        let key = bench.send()
        bench.wait(.milliseconds(399))
        #expect(bench.disk.isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.disk.keys.contains(key))
        // The message is in flight, so it is not replayed. It leaves the disk when it is acknowledged.
        bench.wait(.seconds(5))
        #expect(bench.replayed.isEmpty && bench.machine.deadline == nil)
        bench.run(.acknowledged([key]))
        bench.wait(.seconds(1))
        #expect(bench.disk.isEmpty && bench.machine.depth == 0)
    }

    /// A message that waits for room is on disk soon, and is written there once, whether it goes at last or a newer one
    /// takes its place. One that waits shortly is not written.
    @Test(arguments: [(1000, false, 1), (1000, true, 1), (200, false, 0), (200, true, 1)])
    func whatWaitsForRoomIsOnDisk(_ milliseconds: Int, _ isDisplaced: Bool, _ writes: Int) {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        let key = bench.send()
        bench.wait(.milliseconds(milliseconds))
        #expect(bench.disk.keys.contains(key) == (milliseconds == 1000))
        if isDisplaced { bench.displace(key) } else { bench.sendNow(key) }
        bench.wait(isDisplaced ? .seconds(2) : .milliseconds(300))
        #expect(bench.replayed == (isDisplaced ? [key] : []))
        bench.run(.acknowledged([key]))
        bench.wait(.seconds(2))
        #expect(bench.calls.count { $0.hasPrefix("save 1") } == writes, "\(bench.calls)")
        #expect(bench.disk.isEmpty && bench.machine.depth == 0)
    }

    /// At any rate, a point and a message without acknowledgement are on disk within a second.
    @Test(arguments: [20, 50, 130, 390, 410, 500, 700, 1000, 1500])
    func nothingIsInMemoryOnlyForASecond(_ milliseconds: Int) {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        var sent: [(key: UInt64, entry: FlightLogEntry, at: MonotonicTime)] = []
        for number in 0..<300 {
            let entry = StoreBench.point(number)
            sent.append((bench.send(), entry, bench.now))
            bench.run(.recorded(entry))
            bench.wait(.milliseconds(milliseconds))
            let old = sent.filter { bench.now.duration(since: $0.at) >= .milliseconds(900) }
            #expect(old.allSatisfy { bench.disk.keys.contains($0.key) })
            #expect(bench.recorded.starts(with: old.map(\.entry)))
        }
    }

    @Test func anAcknowledgementWhileItIsWrittenIsNotForgotten() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        let key = bench.send()
        bench.fault = .slow
        bench.wait(Spool.acknowledgementLimit)
        #expect(bench.calls == ["save 1 -0 +0"])
        bench.feed(.acknowledged([key]))
        bench.fault = nil
        bench.answer()
        bench.wait(.seconds(1))
        #expect(bench.calls == ["save 1 -0 +0", "save 0 -1 +0"])
        #expect(bench.disk.isEmpty)
    }

    /// More data than fits into one call is written without pauses.
    @Test func muchIsWrittenInBoundedCalls() {
        var bench = StoreBench()
        for _ in 0..<4500 { _ = bench.keep() }
        bench.run(.timePassed)
        #expect(bench.calls == ["save 2000 -0 +0", "save 2000 -0 +0", "save 500 -0 +0"])
    }

    /// In a flood the saves have no pause, because memory would be full. After a failure the retry interval still
    /// applies.
    @Test func aFloodIsWrittenWithoutAPause() {
        var bench = StoreBench()
        bench.run(.recorded(entry(0)))
        for _ in 0..<1999 { _ = bench.keep() }
        bench.run(.timePassed)
        #expect(bench.calls == ["save 0 -0 +1"])
        _ = bench.keep()
        bench.run(.timePassed)
        #expect(bench.calls == ["save 0 -0 +1", "save 2000 -0 +0"])
        bench.fault = .full
        for _ in 0..<2000 { _ = bench.keep() }
        bench.run(.timePassed)
        #expect(bench.calls.count == 3)
        bench.wait(.seconds(4))
        bench.run(.timePassed)
        #expect(bench.calls.count == 3)
        bench.wait(.seconds(1))
        #expect(bench.calls.count == 4)
    }

    // MARK: - Failures

    @Test func aFailureAndItsRecoveryAreReportedOnce() {
        var bench = StoreBench()
        bench.fault = .full
        bench.run(.recorded(entry(0)))
        bench.wait(.seconds(20))
        #expect(bench.told == [StoreBench.full])
        #expect(bench.calls.count == 5)
        // Another error is announced, too.
        bench.fault = .dead
        bench.run(.sessionBegan)
        _ = bench.keep()
        bench.wait(.seconds(6))
        #expect(bench.told == [StoreBench.full, StoreBench.dead])
        bench.fault = nil
        bench.wait(.seconds(12))
        #expect(bench.told == [StoreBench.full, StoreBench.dead, nil])
        #expect(bench.recorded == [entry(0)])
    }

    /// The disk becomes full during an outage. Its messages are older than those in memory, and are replayed first.
    @Test(arguments: [10, 99, 100, 101, 250]) func orderHoldsOnAFullDisk(_ onDisk: Int) {
        var bench = StoreBench()
        var kept: [UInt64] = []
        for _ in 0..<onDisk { kept.append(bench.keep()) }
        bench.wait(.seconds(1))
        #expect(bench.disk.count == onDisk)
        bench.fault = .full
        for _ in 0..<50 { kept.append(bench.keep()) }
        bench.wait(.seconds(3))
        bench.run(.sessionBegan)
        for _ in 0..<40 {
            bench.wait(.milliseconds(500))
            bench.feed(.acknowledged(bench.replayed))
        }
        #expect(bench.replayed == kept)
        #expect(bench.machine.depth == 0)
    }

    /// Replays that a full session refuses are sent again in order.
    @Test func refusedReplaysKeepTheirOrder() {
        var bench = StoreBench()
        let kept = (0..<10).map { _ in bench.keep() }
        bench.wait(.seconds(1))
        bench.run(.sessionBegan)
        bench.wait(.milliseconds(600))
        #expect(bench.replayed == kept)
        for key in kept { bench.feed(.replayRefused(key)) }
        bench.forgetReplayed()
        bench.wait(.milliseconds(600))
        #expect(bench.replayed == kept)
    }

    @Test func memoryIsBounded() {
        var bench = StoreBench()
        bench.fault = .full
        for _ in 0..<(Spool.memoryLimit + 10) { _ = bench.keep() }
        #expect(bench.machine.depth == Spool.memoryLimit)
        #expect(bench.machine.dropped == 10)
        bench.fault = nil
        bench.wait(.seconds(6))
        #expect(bench.disk.keys.min() == 11 && bench.disk.count == Spool.memoryLimit)
        // Points of half a day.
        bench.fault = .full
        for number in 0..<RecordQueue.limit + 100 { bench.feed(.recorded(entry(number))) }
        #expect(bench.machine.dropped == 110)
        bench.fault = nil
        bench.wait(.seconds(10))
        #expect(bench.recorded == (100..<RecordQueue.limit + 100).map(entry))
    }

    /// In a flood without a broker and with a slow, bounded disk, each message is on disk in the end or counted as
    /// dropped once. The newest ones remain.
    @Test func aFloodDropsTheOldestAndCountsThemOnce() {
        var bench = StoreBench()
        bench.bound = 3000
        var kept: [UInt64] = []
        for _ in 0..<40 {
            bench.fault = .slow
            for _ in 0..<500 { kept.append(bench.keep()) }
            bench.feed(.timePassed)
            bench.wait(.milliseconds(100))
            bench.fault = nil
            bench.answer()
        }
        bench.wait(.seconds(5))
        #expect(bench.disk.keys.sorted() == Array(kept.suffix(3000)))
        #expect(bench.machine.dropped == kept.count - 3000)
        #expect(bench.machine.depth == 3000)
    }

    /// If memory reaches its bound during a save, the messages of this save are not dropped.
    @Test func messagesInTheRunningCallAreNotDropped() {
        var bench = StoreBench()
        bench.fault = .slow
        for _ in 0..<1000 { _ = bench.keep() }
        bench.run(.timePassed)
        for _ in 0..<(Spool.memoryLimit + 5) { _ = bench.keep() }
        #expect(bench.machine.dropped == 5)
        bench.fault = nil
        bench.answer()
        bench.wait(.seconds(5))
        #expect(bench.disk.count == 1000 + Spool.memoryLimit)
        #expect(bench.machine.dropped == 5)
        #expect(bench.calls.allSatisfy { $0.contains(" -0 ") })
    }
}
