import GatewayReports

/// Whether the disk works, from its two sides: a failure is told once, and the recovery when neither fails any more.
/// A part of ``StoreMachine``.
struct StoreFailures: Sendable {
    enum Side: Hashable, Sendable {
        case reading, writing
    }

    private var failures: [Side: StoreError] = [:]
    private var told: StoreError?
    /// The store takes longer to open than it is waited for: it counts as one that fails, but is not announced.
    var isOverdue = false

    var isWriting: Bool { failures[.writing] == nil && !isOverdue }
    var isReading: Bool { failures[.reading] == nil && !isOverdue }

    /// - Returns: whether this is news.
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
