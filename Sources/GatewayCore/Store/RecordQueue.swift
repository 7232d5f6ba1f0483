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
    /// Entries in memory, two and a half hours of a disk that takes none; the oldest are dropped beyond.
    static let limit = 10_000

    private var waiting: Deque<FlightLogEntry> = []
    private var batch: [FlightLogEntry] = []
    /// When ``Event/timePassed`` can next change anything; nil when nothing waits.
    public private(set) var deadline: MonotonicTime?

    public init() {}

    /// What is not known to be on disk.
    public var unsaved: [FlightLogEntry] { batch + waiting }

    public mutating func add(_ entry: FlightLogEntry, at now: MonotonicTime) {
        waiting.append(entry)
        if waiting.count > Self.limit { waiting.removeFirst() }
        if deadline == nil, batch.isEmpty { deadline = now.advanced(by: Self.interval) }
    }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        switch event {
        case .recorded:
            batch = []
            deadline = waiting.isEmpty ? nil : now.advanced(by: Self.interval)
            return [.report(nil)]
        case .failed(let error):
            waiting.prepend(contentsOf: batch)
            waiting.removeFirst(max(0, waiting.count - Self.limit))
            batch = []
            deadline = now.advanced(by: Spool.retryInterval)
            return [.report(error)]
        case .timePassed:
            guard let deadline, now >= deadline else { return [] }
            self.deadline = nil
            batch = Array(waiting)
            waiting = []
            return [.record(batch)]
        }
    }
}
