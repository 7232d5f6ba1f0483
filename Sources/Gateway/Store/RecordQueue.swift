import DequeModule

/// The entries that wait for the disk. They stay here while the disk fails. A part of ``StoreMachine``.
struct RecordQueue: Sendable {
    /// The most points in memory: half a day with a failing disk. Beyond that the oldest entries are dropped.
    static let limit = 50_000

    private var waiting: Deque<FlightLogEntry> = []
    private var points = 0
    /// The number of dropped entries.
    private(set) var dropped = 0
    /// The number of entries that were ever added.
    private(set) var added = 0

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    mutating func add(_ entry: FlightLogEntry) {
        waiting.append(entry)
        added += 1
        points += entry.size
        dropOldest()
    }

    /// The oldest entries that fit into `limit`; at least one.
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

    /// Puts entries back after a failed save.
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
    /// The size in points.
    fileprivate var size: Int {
        switch self {
        case .points(_, _, let points): points.count
        case .winds: 16
        case .landingPoint, .prediction, .lesson, .lessonsForgotten, .clockSet, .newFlight, .forgotten, .recovery,
            .setting:
            1
        }
    }
}
