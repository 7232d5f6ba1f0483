import DequeModule
import FlightMath

/// The entries that wait for the disk. They stay here while the disk fails. Their keys are of the same row as those of
/// messages (``Spool``). A part of ``StoreMachine``.
struct RecordQueue: Sendable {
    /// The most points in memory: half a day with a failing disk. Beyond that the oldest entries are dropped.
    static let limit = 50_000

    struct Item: Sendable {
        var key: UInt64
        var entry: FlightLogEntry
    }

    private var waiting: Deque<Item> = []
    private var points = 0
    /// The number of dropped entries.
    private(set) var dropped = 0

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }
    /// The lowest key of those that wait.
    var oldestKey: UInt64 { waiting.first?.key ?? .max }

    /// The store has opened. The keys now continue those of earlier runs.
    mutating func moveKeys(by base: UInt64) {
        for index in waiting.indices { waiting[index].key += base }
    }

    mutating func add(_ entry: FlightLogEntry, key: UInt64) {
        waiting.append(Item(key: key, entry: entry))
        points += entry.size
        dropOldest()
    }

    /// Corrects the times of the entries after the clock was set.
    mutating func correct(by step: ClockStep) {
        for index in waiting.indices { waiting[index].entry.replaceTimes(step.corrected) }
    }

    /// The oldest entries that fit into `limit`; at least one.
    mutating func next(points limit: Int) -> [Item] {
        var taken: [Item] = []
        var size = 0
        while let item = waiting.first, taken.isEmpty || size + item.entry.size <= limit {
            size += item.entry.size
            taken.append(item)
            removeFirst()
        }
        return taken
    }

    private mutating func removeFirst() {
        guard let item = waiting.popFirst() else { return }
        points -= item.entry.size
    }

    /// Puts entries back after a failed save.
    mutating func putBack(_ items: [Item]) {
        waiting.prepend(contentsOf: items)
        points += items.reduce(0) { $0 + $1.entry.size }
        dropOldest()
    }

    private mutating func dropOldest() {
        while points > Self.limit, !waiting.isEmpty {
            removeFirst()
            dropped += 1
        }
    }
}

extension FlightLogEntry {
    /// The size in points.
    fileprivate var size: Int {
        switch self {
        case .points(_, _, let points): points.count
        case .winds: 16
        case .landingPoint, .prediction, .lesson, .lessonsForgotten, .clockSet, .newFlight, .forgotten, .recovery,
            .carPoint, .sample, .receiver, .setting:
            1
        }
    }
}
