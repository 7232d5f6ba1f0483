import DequeModule
import ReceiverProtocol

/// What is to be recorded, on its way to the disk; kept while the disk takes none. A part of ``StoreMachine``.
struct RecordQueue: Sendable {
    /// Points in memory, half a day of a disk that takes none; the oldest entries are dropped beyond.
    static let limit = 50_000

    private var waiting: Deque<FlightLogEntry> = []
    private var points = 0
    /// Those among them that wait for nothing.
    private var urgent = 0
    /// Since when there has been an entry.
    private(set) var since: MonotonicTime?
    /// Entries that were dropped.
    private(set) var dropped = 0

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }
    /// Whether there is only what comes every second, and little of it.
    var isPatient: Bool { urgent == 0 && points < StoreMachine.batchLimit }

    mutating func add(_ entry: FlightLogEntry, at now: MonotonicTime) {
        since = since ?? now
        waiting.append(entry)
        points += entry.size
        urgent += entry.comesEverySecond ? 0 : 1
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
        if waiting.isEmpty { since = nil }
        return taken
    }

    private mutating func removeFirst() {
        guard let entry = waiting.popFirst() else { return }
        points -= entry.size
        urgent -= entry.comesEverySecond ? 0 : 1
    }

    /// The disk did not take them.
    mutating func putBack(_ entries: [FlightLogEntry]) {
        waiting.prepend(contentsOf: entries)
        for entry in entries {
            points += entry.size
            urgent += entry.comesEverySecond ? 0 : 1
        }
        if !waiting.isEmpty { since = .zero }
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
