import NIOCore
import Testing

@testable import Dashboard

/// The next piece for each of the board's streams.
@Suite struct BoardChangesTests {
    /// The changes, and streams by name.
    private final class Bench {
        private(set) var changes = BoardChanges()
        private var streams: [String: BoardChanges.Position] = [:]

        func begin(_ stream: String) { streams[stream] = changes.begin }

        /// - Parameter cars: nil for one that is removed.
        func add(_ cars: (id: Int, data: String?)...) { add(cars) }
        func add(_ cars: [(id: Int, data: String?)]) {
            let items = cars.map { car in
                BoardItem(name: "cars", id: "\(car.id)", data: car.data.map { Array("\(car.id)=\($0)".utf8) })
            }
            changes.add(items, streams: Array(streams.values))
        }

        /// The events of the next piece, without their numbers; nil if there is none.
        func piece(_ stream: String) -> String? {
            guard var position = streams[stream], let bytes = changes.next(&position) else { return nil }
            streams[stream] = position
            #expect(bytes.readableBytes < 2 * BoardChanges.pieceSize)
            return String(buffer: bytes).split(separator: "\n").filter { !$0.hasPrefix("id: ") }.joined(separator: " ")
        }

        func pieces(_ stream: String) -> [String] {
            var all: [String] = []
            while let next = piece(stream) { all.append(next) }
            return all
        }
    }

    @Test func aLateStreamGetsTheNewestOfEach() {
        let bench = Bench()
        bench.add((1, "a"), (2, "a"), (3, "a"))
        bench.begin("first")
        bench.begin("late")
        #expect(bench.pieces("first") == ["event: cars data: [1=a,2=a,3=a]"])
        bench.add((1, "b"), (3, nil))
        #expect(bench.pieces("first") == [#"event: gone data: {"cars":["3"]} event: cars data: [1=b]"#])
        bench.add((1, "c"), (4, nil))
        #expect(bench.pieces("first") == ["event: cars data: [1=c]"])
        #expect(bench.pieces("late") == [#"event: gone data: {"cars":["3"]} event: cars data: [2=a,1=c]"#])
        #expect(bench.pieces("first").isEmpty && bench.pieces("late").isEmpty)
    }

    /// A large fleet comes in small pieces. A change that comes meanwhile is in a later piece, once.
    @Test func everythingComesInPieces() {
        let bench = Bench()
        let long = String(repeating: "x", count: 1000)
        bench.add((0..<300).map { ($0, long) })
        bench.begin("slow")
        let first = bench.piece("slow") ?? ""
        #expect(first.contains("[0=xx") && !first.contains("200="))
        for round in 0..<3 { bench.add((200, "\(round)"), (0, "\(round)")) }
        let rest = bench.pieces("slow")
        #expect(8..<12 ~= rest.count, "\(rest.count)")
        let cars = (first + rest.joined()).split { "[,]".contains($0) }.filter { $0.contains("=") }
        let numbers = cars.compactMap { $0.split(separator: "=").first.flatMap { Int($0) } }
        #expect(numbers == Array(0..<200) + Array(201..<300) + [200, 0])
        #expect(cars.suffix(2) == ["200=2", "0=2"])
    }

    /// Things that come and go need no memory. A stream that has missed too many begins anew, others don't.
    @Test func removalsAreForgotten() {
        let bench = Bench()
        bench.add((-1, "a"))
        for stream in ["quick", "slow"] {
            bench.begin(stream)
            #expect(bench.pieces(stream) == ["event: cars data: [-1=a]"])
        }
        var quick: [String] = []
        for number in 0..<(2 * BoardChanges.mostRemovals) {
            bench.add((number, "a"))
            bench.add((number, nil))
            if number % 1000 == 0 { quick += bench.pieces("quick") }
        }
        #expect(bench.changes.count == 1)
        #expect(bench.pieces("slow").prefix(1) == [#"event: gone data: {"all":true}"#])
        quick += bench.pieces("quick")
        #expect(!quick.contains { $0.contains("all") } && quick.last?.contains(#""19999""#) == true)
        bench.begin("new")
        #expect(bench.pieces("new").contains { $0.contains("event: cars data: [-1=a]") })
    }
}
