import TestSupport
import Testing

@testable import Dashboard

/// What streams of different speeds are sent of states and events.
@Suite struct NewestStatesTests {
    private typealias States = NewestStates<String, Int>

    /// The states, and the places of streams.
    private struct Bench {
        var states = States(mostPassing: 100, batch: 1)
        var streams: [String: States.Position] = [:]

        mutating func begin(_ stream: String) { streams[stream] = states.begin(hasSnapshot: true) }

        mutating func add(_ value: Int, for key: String) {
            states.add(value, for: key, isPassing: false, streams: Array(streams.values))
        }

        mutating func happen(_ value: Int) {
            let key = "event \(states.newest)"
            states.add(value, for: key, isPassing: true, streams: Array(streams.values))
        }

        /// All that the stream has not been sent.
        mutating func read(_ stream: String) -> [Int] {
            guard var position = streams[stream] else { return [] }
            var values: [Int] = []
            while let change = states.next(after: position.sent) {
                values.append(change.value)
                position.sent = change.number
            }
            streams[stream] = position
            return values
        }

        func isLate(_ stream: String) -> Bool { streams[stream].map(states.isLate) ?? true }
    }

    @Test func theNewestOfEachAndAllEvents() {
        var bench = Bench()
        bench.add(0, for: "position")
        bench.happen(0)
        bench.begin("slow")
        bench.add(1, for: "position")
        bench.happen(2)
        bench.add(3, for: "position")
        bench.happen(4)
        bench.begin("new")
        #expect(bench.read("slow") == [2, 3, 4])
        #expect(bench.read("slow") == [] && bench.read("new") == [])
        bench.add(5, for: "position")
        #expect(bench.read("slow") == [5] && bench.read("new") == [5])
    }

    /// A stream that has missed more than 100 events is late, others are not. States never make a stream late.
    @Test func aHundredEventsWait() {
        var bench = Bench()
        bench.begin("slow")
        bench.begin("quick")
        for number in 0..<100 { bench.happen(number) }
        for number in 0..<5000 { bench.add(number, for: "position") }
        #expect(bench.read("quick") == Array(0..<100) + [4999])
        #expect(!bench.isLate("slow") && !bench.isLate("quick"))
        bench.happen(100)
        #expect(bench.isLate("slow") && !bench.isLate("quick"))
        #expect(bench.read("quick") == [100])
        bench.begin("slow")
        bench.happen(101)
        #expect(!bench.isLate("slow") && bench.read("slow") == [101])
    }

    /// Whatever comes and whoever reads, a stream that is not late has been sent all events in order, and the newest state
    /// last. The memory stays bounded.
    @Test(arguments: TestLength.share(of: UInt64(0)..<100))
    func nothingIsLost(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bench = Bench()
        let names = ["a", "b", "c"]
        var sent: [String: [Int]] = [:]
        var begun: [String: Int] = [:]
        var newest: [String: Int] = [:]
        var happened: [Int] = []
        var (number, mostKept) = (0, 0)
        func begin(_ name: String) {
            bench.begin(name)
            (sent[name], begun[name]) = ([], number)
        }
        for name in names { begin(name) }
        for _ in 0..<3000 {
            number += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let key = "\(Int.random(in: 0..<5, using: &random))"
                bench.add(-number, for: key)
                newest[key] = -number
            case 4..<8:
                bench.happen(number)
                happened.append(number)
            default:
                // The third stream reads seldom.
                guard let name = names.randomElement(using: &random), name != "c" || number % 20 == 0 else { break }
                if bench.isLate(name) { begin(name) } else { sent[name]?.append(contentsOf: bench.read(name)) }
            }
            mostKept = max(mostKept, bench.states.kept)
        }
        // Twice the five states and the hundred events, and the outdated entries that may stay.
        #expect(mostKept <= 2 * 106 + 1001, "seed \(seed)")
        for name in names where !bench.isLate(name) {
            let all = (sent[name] ?? []) + bench.read(name)
            let begin = begun[name] ?? 0
            #expect(all.filter { $0 > 0 } == happened.filter { $0 > begin }, "seed \(seed), \(name)")
            let states = Set(all.filter { $0 < 0 })
            #expect(states.isSuperset(of: newest.values.filter { -$0 > begin }), "seed \(seed), \(name)")
        }
    }
}
