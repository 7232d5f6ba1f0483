import DequeModule
public import ReceiverProtocol

/// What is to be recorded, on its way to the disk: gathered for half a second, kept while the disk takes none. Decides
/// only.
public struct RecordQueue: Sendable {
    public enum Event: Equatable, Sendable {
        case recorded
        case failed(StoreError)
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        /// Answered by ``Event/recorded`` or ``Event/failed(_:)``; one at a time.
        case record([FlightLogEntry])
        /// The store fails, or works (nil); after every call.
        case report(StoreError?)
    }

    /// Seconds from the first entry to the disk: what a power cut may cost.
    static let interval = 0.5
    /// Points in memory, half a day of a disk that takes none; the oldest entries are dropped beyond.
    static let limit = 50_000

    private var waiting: Deque<FlightLogEntry> = []
    private var points = 0
    private var batch: [FlightLogEntry] = []
    /// When ``Event/timePassed`` can next change anything; nil when nothing waits.
    public private(set) var deadline: MonotonicTime?

    public init() {}

    /// The store is at work, and will answer.
    public var isCalling: Bool { !batch.isEmpty }
    /// What is not known to be on disk.
    public var unsaved: [FlightLogEntry] { batch + waiting }

    public mutating func add(_ entry: FlightLogEntry, at now: MonotonicTime) {
        waiting.append(entry)
        points += entry.size
        dropOldest()
        if deadline == nil, !isCalling { deadline = now.advanced(by: Self.interval) }
    }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        switch event {
        case .recorded:
            batch = []
            deadline = waiting.isEmpty ? nil : now.advanced(by: Self.interval)
            return [.report(nil)]
        case .failed(let error):
            waiting.prepend(contentsOf: batch)
            points = waiting.reduce(0) { $0 + $1.size }
            batch = []
            dropOldest()
            deadline = now.advanced(by: Spool.retryInterval)
            return [.report(error)]
        case .timePassed:
            guard let deadline, now >= deadline else { return [] }
            self.deadline = nil
            batch = Array(waiting)
            (waiting, points) = ([], 0)
            return [.record(batch)]
        }
    }

    private mutating func dropOldest() {
        while points > Self.limit, let oldest = waiting.popFirst() { points -= oldest.size }
    }
}

extension FlightLogEntry {
    /// In points.
    fileprivate var size: Int {
        switch self {
        case .points(_, _, let points): points.count
        case .landingPoint, .prediction, .clockSet, .setting: 1
        }
    }
}
