import DequeModule
import ReceiverProtocol

/// The callers that wait until a power cut can't take back their data; and when the disk must be synced for them. A
/// ticket is the sync after the save of a key. A part of ``StoreMachine``.
///
/// A save survives the end of the program at once, but a power cut only after the next sync.
///
/// | a ticket | until |
/// | --- | --- |
/// | waits for a save | everything that was recorded or kept before it is in the store's file |
/// | waits for a sync | the disk has confirmed a sync that began after that save |
/// | has failed | never: it ends at once, because the disk fails or its time is over |
struct DurabilityTickets: Sendable {
    /// The longest time between a save and its sync. With the pause between two saves and a sync of 1.5 s no point is
    /// older than 5 s.
    static let syncInterval = Duration.seconds(3)

    private struct Ticket {
        var id: UInt64
        /// The highest key of the messages and entries before it.
        var key: UInt64
        var endsAt: MonotonicTime
    }

    private var waiting: Deque<Ticket> = []
    /// When the first save began that no sync has followed; nil if the disk has everything.
    private(set) var unsyncedSince: MonotonicTime?
    private var retryAt = MonotonicTime.zero

    var isEmpty: Bool { waiting.isEmpty }
    /// When the first ticket's time is over.
    var endsAt: MonotonicTime? { waiting.map(\.endsAt).min() }

    mutating func add(_ id: UInt64, key: UInt64, endsAt: MonotonicTime) {
        waiting.append(Ticket(id: id, key: key, endsAt: endsAt))
    }

    /// The store has opened. The keys now continue those of earlier runs.
    mutating func moveKeys(by base: UInt64) {
        for index in waiting.indices { waiting[index].key += base }
    }

    mutating func saved(begunAt start: MonotonicTime) { unsyncedSince = unsyncedSince ?? start }

    mutating func synced() { unsyncedSince = nil }

    mutating func syncFailed(retryAt time: MonotonicTime) { retryAt = time }

    /// When the next sync is due; nil if the disk has everything. A ticket whose data is saved does not wait for the
    /// interval.
    /// - Parameter unsaved: the lowest key that waits for a save.
    func syncAt(_ unsaved: UInt64) -> MonotonicTime? {
        guard let unsyncedSince else { return nil }
        let isAwaited = waiting.first.map { $0.key < unsaved } ?? false
        return max(retryAt, isAwaited ? .zero : unsyncedSince.advanced(by: Self.syncInterval))
    }

    /// Removes the tickets whose data the disk has. Call it when no save is in progress.
    /// - Parameter unsaved: the lowest key that waits for a save.
    /// - Returns: their ids.
    mutating func reached(_ unsaved: UInt64) -> [UInt64] {
        guard unsyncedSince == nil else { return [] }
        let reached = waiting.prefix { $0.key < unsaved }.map(\.id)
        waiting.removeFirst(reached.count)
        return reached
    }

    /// Removes the tickets whose time is over.
    mutating func expired(at now: MonotonicTime) -> [UInt64] {
        let ids = waiting.filter { now >= $0.endsAt }.map(\.id)
        waiting.removeAll { now >= $0.endsAt }
        return ids
    }

    /// Removes all tickets, because the disk fails.
    mutating func failed() -> [UInt64] {
        defer { waiting = [] }
        return waiting.map(\.id)
    }
}
