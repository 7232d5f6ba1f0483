import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct SpoolTests {
    /// A spool, its time and a disk that does what it is told.
    struct Bench {
        var spool = Spool(lastKey: 0, storedCount: 0)
        var now = MonotonicTime.zero
        var disk: [UInt64: SpooledMessage] = [:]
        var isDiskBroken = false
        /// What the spool asked for, but for its calls to the disk, which are answered at once.
        var replayed: [UInt64] = []
        var reports: [StoreError?] = []

        static let broken = StoreError(.full, "database or disk is full")

        mutating func message() -> SpooledMessage {
            let key = spool.nextKey()
            return SpooledMessage(key: key, topic: "t", payload: [UInt8(truncatingIfNeeded: key)], at: nil)
        }

        mutating func send() -> UInt64 {
            let message = message()
            spool.sent(message, at: now)
            return message.key
        }

        mutating func keep() -> UInt64 {
            let message = message()
            spool.keep(message, at: now)
            return message.key
        }

        mutating func run(_ event: Spool.Event) {
            for action in spool.handle(event, at: now) {
                switch action {
                case .replay(let message): replayed.append(message.key)
                case .report(let failure): reports.append(failure)
                case .store(let messages):
                    guard !isDiskBroken else { return run(.storeFailed(Self.broken)) }
                    for message in messages { disk[message.key] = message }
                    run(.stored(dropped: 0))
                case .remove(let keys):
                    guard !isDiskBroken else { return run(.storeFailed(Self.broken)) }
                    for key in keys { disk[key] = nil }
                    run(.removed)
                case .load(let after, let limit):
                    guard !isDiskBroken else { return run(.storeFailed(Self.broken)) }
                    let rows = disk.values.filter { $0.key > after }.sorted { $0.key < $1.key }.prefix(limit)
                    run(.loaded(Array(rows)))
                }
            }
        }

        mutating func wait(_ seconds: Double) {
            let end = now.advanced(by: seconds)
            while let deadline = spool.deadline, deadline <= end {
                now = max(now, deadline)
                run(.timePassed)
            }
            now = end
        }
    }

    @Test func whatIsAcknowledgedSoonNeverSeesTheDisk() {
        var bench = Bench()
        bench.run(.sessionBegan)
        bench.wait(2)
        for _ in 0..<100 {
            let key = bench.send()
            bench.run(.acknowledged([key]))
            #expect(bench.spool.deadline == nil)
        }
        #expect(bench.disk.isEmpty)
        #expect(bench.spool.depth == 0)
    }

    @Test func aSlowBrokerIsCoveredByTheDisk() {
        var bench = Bench()
        bench.run(.sessionBegan)
        let key = bench.send()
        bench.wait(0.4)
        #expect(bench.disk.isEmpty)
        bench.wait(0.7)
        #expect(bench.disk.keys.contains(key))
        // It is still with the broker: not replayed, and gone from the disk once it is acknowledged.
        bench.wait(5)
        #expect(bench.replayed.isEmpty)
        bench.run(.acknowledged([key]))
        _ = bench.send()
        bench.wait(2)
        #expect(!bench.disk.keys.contains(key))
    }

    @Test func whatTheSessionHadAndWhatCameWithoutOneIsReplayedInOrder() {
        var bench = Bench()
        bench.run(.sessionBegan)
        bench.wait(2)
        let sent = (0..<3).map { _ in bench.send() }
        bench.run(.acknowledged([sent[0]]))
        bench.run(.sessionEnded)
        let kept = (0..<200).map { _ in bench.keep() }
        bench.wait(1)
        #expect(bench.disk.count == 202)
        #expect(bench.spool.depth == 202)
        bench.run(.sessionBegan)
        var seconds = 0.0
        while bench.replayed.count < 202, seconds < 60 {
            bench.wait(0.5)
            seconds += 0.5
            #expect(bench.spool.depth <= 202)
            bench.run(.acknowledged(bench.replayed))
        }
        #expect(bench.replayed == Array(sent[1...]) + kept)
        // 50 a second at most: history does not crowd out the present.
        #expect((4...8).contains(seconds))
        bench.wait(2)
        #expect(bench.disk.isEmpty)
        #expect(bench.spool.replayed == 202)
        #expect(bench.spool.deadline == nil)
    }

    @Test func aReplayThatIsNotAcknowledgedIsReplayedAgain() {
        var bench = Bench()
        let key = bench.keep()
        bench.wait(1)
        bench.run(.sessionBegan)
        bench.wait(2)
        #expect(bench.replayed == [key])
        bench.run(.sessionEnded)
        bench.run(.sessionBegan)
        bench.wait(2)
        #expect(bench.replayed == [key, key])
        bench.run(.acknowledged([key]))
        bench.wait(2)
        #expect(bench.disk.isEmpty)
    }

    @Test func atMostAWindowOfReplaysIsOut() {
        var bench = Bench()
        for _ in 0..<300 { _ = bench.keep() }
        bench.wait(1)
        bench.run(.sessionBegan)
        bench.wait(30)
        #expect(bench.replayed.count == Spool.window)
    }

    @Test func aBrokenDiskIsToldOnceAndMemoryServes() {
        var bench = Bench()
        bench.isDiskBroken = true
        let keys = (0..<10).map { _ in bench.keep() }
        bench.wait(60)
        #expect(bench.reports == [Bench.broken])
        #expect(bench.spool.depth == 10)
        bench.run(.sessionBegan)
        bench.wait(2)
        #expect(bench.replayed == keys)
        // Lost in the air: they go on waiting in memory.
        bench.run(.sessionEnded)
        #expect(bench.spool.unsaved.map(\.key) == keys)
        bench.isDiskBroken = false
        bench.wait(10)
        #expect(bench.reports == [Bench.broken, nil])
        #expect(bench.disk.keys.sorted() == keys)
    }

    @Test func memoryIsBounded() {
        var bench = Bench()
        bench.isDiskBroken = true
        for _ in 0..<(Spool.memoryLimit + 10) { _ = bench.keep() }
        #expect(bench.spool.depth == Spool.memoryLimit)
        #expect(bench.spool.dropped == 10)
        #expect(bench.spool.unsaved.first?.key == 11)
    }

    @Test func anAcknowledgementWhileItIsWrittenIsNotForgotten() {
        var spool = Spool(lastKey: 0, storedCount: 0)
        _ = spool.handle(.sessionBegan, at: .zero)
        let message = SpooledMessage(key: spool.nextKey(), topic: "t", payload: [], at: nil)
        spool.sent(message, at: .zero)
        // The load of an empty disk is answered; then the late message is written.
        _ = spool.handle(.loaded([]), at: .zero)
        #expect(spool.handle(.timePassed, at: .zero.advanced(by: 1)) == [.store([message])])
        _ = spool.handle(.acknowledged([message.key]), at: .zero.advanced(by: 1))
        let actions = spool.handle(.stored(dropped: 0), at: .zero.advanced(by: 1))
        #expect(actions == [.remove([message.key])])
    }

    /// The process ends while the disk is at work: what it was to forget is still named.
    @Test func whatIsBeingRemovedIsNamedAtTheEnd() {
        var spool = Spool(lastKey: 7, storedCount: 1)
        let message = SpooledMessage(key: 7, topic: "t", payload: [], at: nil)
        #expect(spool.handle(.sessionBegan, at: .zero) == [.load(after: 0, limit: 100)])
        _ = spool.handle(.loaded([message]), at: .zero)
        #expect(spool.handle(.timePassed, at: .zero.advanced(by: 1)).contains(.replay(message)))
        _ = spool.handle(.acknowledged([7]), at: .zero.advanced(by: 1))
        #expect(spool.acknowledgedOnDisk == [7])
        let actions =
            spool.handle(.timePassed, at: .zero.advanced(by: 2)) + spool.handle(.loaded([]), at: .zero.advanced(by: 2))
        #expect(actions.contains(.remove([7])))
        #expect(spool.acknowledgedOnDisk == [7])
        _ = spool.handle(.removed, at: .zero.advanced(by: 2))
        #expect(spool.acknowledgedOnDisk == [])
    }

    /// 300 walks of arbitrary events: nothing that was not acknowledged is ever forgotten, and once the broker is back
    /// and answers, everything arrives.
    @Test(arguments: 0..<300)
    func nothingIsLost(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var bench = Bench()
        var open: Set<UInt64> = []
        var withBroker: Set<UInt64> = []
        var isConnected = false
        func acknowledge(_ keys: some Sequence<UInt64>) {
            let keys = Array(keys)
            open.subtract(keys)
            withBroker.subtract(keys)
            bench.run(.acknowledged(keys))
        }
        for _ in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let key = isConnected ? bench.send() : bench.keep()
                if isConnected { withBroker.insert(key) }
                open.insert(key)
            case 3: bench.wait(Double.random(in: 0...3, using: &random))
            case 4: acknowledge(withBroker.filter { _ in Bool.random(using: &random) })
            case 5: acknowledge(bench.replayed.filter { open.contains($0) && isConnected })
            case 6:
                isConnected.toggle()
                if !isConnected { (withBroker, bench.replayed) = ([], []) }
                bench.run(isConnected ? .sessionBegan : .sessionEnded)
            default: bench.isDiskBroken.toggle()
            }
        }
        bench.isDiskBroken = false
        bench.run(.sessionEnded)
        bench.replayed = []
        bench.run(.sessionBegan)
        for _ in 0..<40 where !open.isEmpty {
            bench.wait(6)
            acknowledge(bench.replayed)
        }
        #expect(open.isEmpty)
        bench.wait(20)
        #expect(bench.disk.isEmpty)
        #expect(bench.spool.depth == 0)
    }
}
