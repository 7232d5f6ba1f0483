import ReceiverProtocol
import Testing

@testable import Gateway

/// How much a power cut can take back, and the waits until it can't take back anything.
@Suite struct DurabilityTests {
    /// At any rate of points and messages, the disk is synced so often that nothing older than 5 s is lost, and not
    /// more often than needed.
    @Test(arguments: [20, 130, 500, 1000, 1500, 7000]) func nothingOlderThanFiveSecondsIsUnsynced(_ pause: Int) {
        var bench = StoreBench()
        var kept: [(key: UInt64, number: Int, since: MonotonicTime)] = []
        for number in 0..<300 {
            kept.append((bench.keep(), number, bench.now))
            bench.run(.recorded(StoreBench.point(number)))
            bench.wait(.milliseconds(pause))
            let old = kept.filter { bench.now.duration(since: $0.since) > .seconds(4) }
            let synced = bench.syncs.last
            #expect(old.allSatisfy { synced?.messages.contains($0.key) == true && synced?.entries ?? 0 > $0.number })
        }
        let spaces = zip(bench.syncs, bench.syncs.dropFirst()).map { $1.at.duration(since: $0.at) }
        #expect(spaces.allSatisfy { $0 >= DurabilityTickets.syncInterval })
    }

    /// A wait saves and syncs at once, and ends after both. It covers entries and messages.
    @Test func aWaitSavesAndSyncsAtOnce() {
        var bench = StoreBench()
        bench.run(.recorded(StoreBench.point(0)))
        let key = bench.keep()
        bench.feed(.recorded(StoreBench.point(1)))
        bench.run(.awaited(7, limit: .seconds(2)))
        #expect(bench.reached.map(\.id) == [7] && bench.reached[0].isDurable)
        #expect(bench.syncs.last?.entries == 2 && bench.syncs.last?.messages == [key])
        // Nothing is unsaved, so the next wait needs no call.
        let calls = bench.calls
        bench.run(.awaited(8, limit: .seconds(2)))
        #expect(bench.reached.map(\.id) == [7, 8] && bench.calls == calls && bench.syncs.count == 1)
    }

    /// The wait comes while the disk is busy with a save, a sync or a load.
    @Test(arguments: 0..<6) func aWaitDuringACallEndsWithItsOwnSync(_ answers: Int) {
        var bench = StoreBench()
        bench.fault = .slow
        bench.run(.recorded(StoreBench.point(0)))
        for _ in 0..<answers {
            bench.answer()
            bench.run(.sessionBegan)
            bench.wait(.seconds(3))
        }
        bench.feed(.recorded(StoreBench.point(1)))
        bench.run(.awaited(1, limit: .seconds(60)))
        #expect(bench.reached.isEmpty)
        bench.fault = nil
        bench.answer()
        #expect(bench.reached.map(\.id) == [1] && bench.reached[0].isDurable)
        #expect(bench.syncs.last?.entries == 2)
    }

    /// A batch holds 2000 entries. A wait behind more of them ends after the last one.
    @Test func aWaitBehindManyEntries() {
        var bench = StoreBench()
        for number in 0..<4500 { bench.feed(.recorded(StoreBench.point(number))) }
        bench.feed(.awaited(1, limit: .seconds(2)))
        bench.feed(.recorded(StoreBench.point(4500)))
        bench.run(.timePassed)
        #expect(bench.reached.map(\.isDurable) == [true])
        #expect(bench.syncs.last?.entries ?? 0 >= 4500)
    }

    @Test func aSlowDiskEndsAWaitAtItsLimit() {
        var bench = StoreBench()
        bench.fault = .slow
        bench.feed(.recorded(StoreBench.point(0)))
        let start = bench.now
        bench.run(.awaited(1, limit: .seconds(2)))
        bench.run(.awaited(2, limit: .seconds(5)))
        bench.wait(.seconds(10))
        #expect(bench.reached.map(\.id) == [1, 2] && bench.reached.allSatisfy { !$0.isDurable })
        #expect(bench.reached.map { $0.at.duration(since: start) } == [.seconds(2), .seconds(5)])
    }

    /// With a failing disk each wait ends at once. The failure is announced once, and so is its end.
    @Test(arguments: [StoreBench.Fault.full, .dead, .unsynced]) func aFailingDiskEndsWaitsAtOnce(
        _ fault: StoreBench.Fault
    ) {
        var bench = StoreBench()
        bench.fault = fault
        bench.feed(.recorded(StoreBench.point(0)))
        for id in 1..<4 {
            bench.run(.awaited(UInt64(id), limit: .seconds(2)))
            #expect(bench.reached.count == id && bench.reached[id - 1].at == bench.now)
            bench.wait(.seconds(6))
            bench.feed(.recorded(StoreBench.point(id)))
        }
        #expect(bench.reached.allSatisfy { !$0.isDurable })
        bench.fault = nil
        bench.wait(.seconds(12))
        #expect(bench.told.count == 2 && bench.told.last == .some(nil))
        bench.run(.awaited(9, limit: .seconds(2)))
        #expect(bench.reached.last?.isDurable == true && bench.syncs.last?.entries == 4)
    }

    /// The store opens late, with the keys of earlier runs.
    @Test func aWaitBeforeTheStoreOpens() {
        var bench = StoreBench(isOpen: false)
        bench.disk[40] = SpooledMessage(key: 40, topic: "t", payload: [], at: nil)
        bench.fault = .slow
        bench.run(.timePassed)
        _ = bench.keep()
        bench.run(.awaited(1, limit: .seconds(2)))
        bench.wait(.seconds(1))
        #expect(bench.reached.isEmpty)
        bench.fault = nil
        bench.answer()
        #expect(bench.reached.map(\.isDurable) == [true])
        #expect(bench.syncs.last?.messages == [40, 41])
    }

    /// The end saves and syncs the rest of the data, and ends an open wait.
    @Test func theEndSyncs() {
        var bench = StoreBench()
        bench.run(.recorded(StoreBench.point(0)))
        bench.run(.closing)
        #expect(bench.syncs.last?.entries == 1 && bench.machine.isClosed)
        bench = StoreBench()
        bench.fault = .slow
        bench.feed(.recorded(StoreBench.point(0)))
        bench.run(.awaited(1, limit: .seconds(60)))
        bench.run(.closing)
        bench.wait(.seconds(2))
        #expect(bench.machine.isClosed && bench.reached.map(\.isDurable) == [false])
    }

    // MARK: - Answers to commands

    /// 200 000 commands and a broker that hangs up: the newest 100 answers stay, and no position is dropped for them.
    @Test func aFloodOfAnswersDisplacesNothing() {
        var bench = StoreBench()
        bench.fault = .full
        var positions: Set<UInt64> = []
        var answers: [UInt64] = []
        for number in 0..<6000 {
            var message = bench.message()
            if number % 10 == 0 {
                positions.insert(message.key)
            } else {
                message.topic = "sondygo/test/history/command/response"
                answers.append(message.key)
            }
            bench.feed(.kept(message))
        }
        #expect(bench.machine.depth == 700 && bench.machine.dropped == 5300)
        bench.fault = nil
        bench.wait(.seconds(6))
        #expect(Set(bench.disk.keys) == positions.union(answers.suffix(SpooledMessage.mostAnswers)))
    }
}
