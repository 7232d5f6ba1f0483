import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway

/// No message is sent that is older than the spool's bound, wherever it has waited.
@Suite struct StoreAgeTests {
    private static let noon = WallTime(millisecondsSince1970: 1_800_000_000_000)

    /// A store with messages of an earlier run: their seconds after the bound's time.
    private func bench(_ seconds: [Int]) -> StoreBench {
        var bench = StoreBench(isOpen: false)
        for (key, second) in zip(UInt64(1)..., seconds) {
            bench.disk[key] = SpooledMessage(
                key: key, topic: "t", payload: [UInt8(key)], at: Self.noon.advanced(by: .seconds(second)))
        }
        bench.oldest = Self.noon
        bench.feed(.timePassed)
        return bench
    }

    /// The broker refuses a message for now, and it becomes too old before its next turn.
    @Test func aMessageThatBecomesTooOldIsDropped() {
        var bench = bench([10, 3600])
        let base = bench.disk.keys.max() ?? 0
        bench.run(.sessionBegan)
        bench.wait(.seconds(1))
        #expect(bench.replayed.map { $0 &+ base } == [1, 2])
        for key in bench.replayed { bench.run(.deferred(key)) }
        bench.forgetReplayed()
        bench.wait(StoreMachine.deferral + .seconds(2))
        #expect(bench.replayed.map { $0 &+ base } == [2])
        #expect(bench.disk.keys.sorted() == [2] && bench.machine.dropped == 1 && bench.machine.depth == 1)
    }

    /// With a wrong clock nobody knows how old the messages are.
    @Test func withoutARightClockAllAreSent() {
        var bench = bench([10, 3600])
        bench.oldest = nil
        bench.run(.sessionBegan)
        bench.wait(.seconds(1))
        for key in bench.replayed { bench.run(.deferred(key)) }
        bench.forgetReplayed()
        bench.wait(.seconds(40))
        #expect(bench.replayed.count == 2 && bench.machine.dropped == 0)
    }

    /// The disk fails for longer than the bound, so the messages wait in memory.
    @Test func aMessageInMemoryBecomesTooOld() {
        var bench = StoreBench()
        bench.fault = .dead
        let old = bench.keep()
        bench.wait(.seconds(3600))
        let young = bench.keep()
        bench.wait(StoreBench.messageAge - .seconds(60))
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        #expect(old < young && bench.replayed == [young])
        #expect(bench.machine.dropped == 1)
    }

    /// Messages that the store has deleted are counted, and wait no more.
    @Test func whatTheStoreDeletesIsCounted() {
        var machine = StoreMachine(startedAt: .zero, messageAge: StoreBench.messageAge)
        _ = machine.handle(.timePassed, at: .zero)
        _ = machine.handle(.opened(StoredState(lastKey: 7, spooled: 7)), at: .zero)
        _ = machine.handle(.sessionBegan, at: .zero)
        #expect(machine.depth == 7)
        #expect(machine.handle(.timePassed, at: .zero) == [.load(after: 0, limit: StoreMachine.readLimit)])
        _ = machine.handle(.loaded(SpoolPage(messages: [], dropped: 7, oldest: Self.noon)), at: .zero)
        #expect(machine.depth == 0 && machine.dropped == 7 && machine.deadline == nil)
    }
}
