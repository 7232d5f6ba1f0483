import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway

/// Random events for the whole store machine.
@Suite struct StoreWalkTests {
    /// A random walk. It knows the messages that the broker has not acknowledged, and the entries to record.
    private struct Walk {
        var bench: StoreBench
        var random: SeededRandom
        var open: Set<UInt64> = []
        var withBroker: Set<UInt64> = []
        var entries: [FlightLogEntry] = []
        var isConnected = false

        /// Every other walk begins before the store has opened.
        init(seed: Int) {
            random = SeededRandom(seed: UInt64(seed))
            bench = StoreBench(isOpen: seed % 2 == 0)
        }

        mutating func step() {
            switch Int.random(in: 0..<13, using: &random) {
            case 0...2:
                let isSent = isConnected && Bool.random(using: &random)
                let key = isSent ? bench.send() : bench.keep()
                if isSent { withBroker.insert(key) }
                open.insert(key)
            case 3, 4: bench.wait(.milliseconds(Int.random(in: 0...3000, using: &random)))
            case 5: acknowledge(withBroker.filter { _ in Bool.random(using: &random) }.sorted())
            case 6: acknowledge(bench.replayed.filter { open.contains($0) && isConnected })
            case 7:
                isConnected.toggle()
                if !isConnected {
                    withBroker = []
                    bench.forgetReplayed()
                }
                bench.run(isConnected ? .sessionBegan : .sessionEnded)
            case 8: record()
            case 9: bench.answer()
            case 10: if let key = withBroker.min() { bench.sendNow(key) }
            case 11:
                guard let key = withBroker.sorted().randomElement(using: &random) else { break }
                withBroker.remove(key)
                bench.displace(key)
            default: bench.fault = [nil, .full, .dead, .slow].randomElement(using: &random) ?? nil
            }
            bench.feed(.timePassed)
        }

        mutating func acknowledge(_ keys: [UInt64]) {
            open.subtract(keys)
            withBroker.subtract(keys)
            bench.feed(.acknowledged(keys))
        }

        /// Records an entry.
        mutating func record() {
            let isPoint = Bool.random(using: &random)
            let entry = isPoint ? StoreBench.point(entries.count) : .setting(.hunt, "\(entries.count)")
            entries.append(entry)
            bench.run(.recorded(entry))
        }

        mutating func mend() {
            bench.fault = nil
            bench.answer()
        }
    }

    /// No message without acknowledgement is lost. Once the broker is back and answers, all arrive.
    @Test(arguments: TestLength.share(of: 0..<300)) func nothingIsLost(_ seed: Int) {
        var walk = Walk(seed: seed)
        for _ in 0..<200 { walk.step() }
        walk.mend()
        walk.bench.run(.sessionEnded)
        walk.bench.forgetReplayed()
        walk.bench.run(.sessionBegan)
        for _ in 0..<60 where !walk.open.isEmpty {
            walk.bench.wait(.seconds(6))
            walk.acknowledge(walk.bench.replayed)
        }
        #expect(walk.open.isEmpty)
        // Only the next save shows whether the disk works again.
        walk.record()
        walk.bench.wait(.seconds(20))
        #expect(walk.bench.disk.isEmpty && walk.bench.machine.depth == 0)
        #expect(walk.bench.machine.dropped == 0)
        #expect(walk.bench.machine.deadline == nil)
        #expect(walk.bench.recorded == walk.entries)
        #expect((walk.bench.told.last ?? nil) == nil)
    }

    /// Without late messages each session's replay is in order, with any faults of writing.
    @Test(arguments: TestLength.share(of: 0..<300)) func everyReplayIsInOrder(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var bench = StoreBench()
        for _ in 0..<20 {
            for _ in 0..<Int.random(in: 0..<150, using: &random) {
                _ = bench.keep()
                if Int.random(in: 0..<20, using: &random) == 0 {
                    bench.wait(.milliseconds(Int.random(in: 0...2000, using: &random)))
                }
                if Int.random(in: 0..<40, using: &random) == 0 { bench.fault = bench.fault == nil ? .full : nil }
            }
            bench.run(.sessionBegan)
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                if Int.random(in: 0..<10, using: &random) == 0 { bench.fault = bench.fault == nil ? .full : nil }
                bench.wait(.milliseconds(500))
                bench.feed(.acknowledged(bench.replayed.suffix(Int.random(in: 0..<60, using: &random))))
            }
            #expect(zip(bench.replayed, bench.replayed.dropFirst()).allSatisfy { $0 < $1 })
            bench.forgetReplayed()
            bench.run(.sessionEnded)
        }
    }

    /// After a stop at any point, only data that the disk did not accept is lost, and its amount is reported.
    @Test(arguments: TestLength.share(of: 0..<100)) func theEndLosesNothing(_ seed: Int) {
        var walk = Walk(seed: seed)
        for _ in 0..<100 { walk.step() }
        walk.mend()
        walk.bench.run(.closing)
        walk.bench.wait(.seconds(2))
        #expect(walk.bench.closed == .closed(unsaved: 0, nil))
        #expect(walk.open.isSubset(of: walk.bench.disk.keys))
        #expect(walk.bench.recorded == walk.entries)
    }
}
