import GatewayReports

/// Whether reading, writing and syncing the disk work. A failure is reported once, and the recovery when all work again.
/// A part of ``StoreMachine``.
struct StoreFailures: Sendable {
    enum Side: Hashable, Sendable {
        case reading, writing, syncing
    }

    private var failures: [Side: StoreError] = [:]
    private var told: StoreError?
    /// The store takes too long to open. It counts as failing, but this is not announced.
    var isOverdue = false

    var isWriting: Bool { failures[.writing] == nil && !isOverdue }
    /// Whether a save can become safe from a power cut.
    var isSyncing: Bool { isWriting && failures[.syncing] == nil }
    var isReading: Bool { failures[.reading] == nil && !isOverdue }

    /// - Returns: whether the failure must be announced.
    mutating func failed(_ side: Side, _ error: StoreError) -> Bool {
        failures[side] = error
        guard told?.code != error.code else { return false }
        told = error
        return true
    }

    /// - Returns: whether the store has recovered.
    mutating func worked(_ side: Side) -> Bool {
        failures[side] = nil
        guard told != nil, failures.isEmpty else { return false }
        told = nil
        return true
    }
}
