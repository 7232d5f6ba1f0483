import DequeModule

/// What is to be recorded, on its way to the disk; kept while the disk takes none. A part of ``StoreMachine``.
struct RecordQueue: Sendable {
    /// Points in memory, half a day of a disk that takes none; the oldest entries are dropped beyond.
    static let limit = 50_000

    private var waiting: Deque<FlightLogEntry> = []
    private var points = 0
    /// Entries that were dropped.
    private(set) var dropped = 0

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    mutating func add(_ entry: FlightLogEntry) {
        waiting.append(entry)
        points += entry.size
        dropOldest()
    }

    /// The oldest entries, as far as they fit; a single one always does.
    mutating func next(points limit: Int) -> [FlightLogEntry] {
        var taken: [FlightLogEntry] = []
        var size = 0
        while let entry = waiting.first, taken.isEmpty || size + entry.size <= limit {
            size += entry.size
            taken.append(entry)
            removeFirst()
        }
        return taken
    }

    private mutating func removeFirst() {
        guard let entry = waiting.popFirst() else { return }
        points -= entry.size
    }

    /// The disk did not take them.
    mutating func putBack(_ entries: [FlightLogEntry]) {
        waiting.prepend(contentsOf: entries)
        points += entries.reduce(0) { $0 + $1.size }
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
    /// In points.
    fileprivate var size: Int {
        switch self {
        case .points(_, _, let points): points.count
        case .landingPoint, .prediction, .lesson, .clockSet, .newFlight, .forgotten, .setting: 1
        }
    }
}
