import GatewayReports

/// Whether reading and writing the disk work. A failure is reported once, and the recovery when both work again. A part
/// of ``StoreMachine``.
struct StoreFailures: Sendable {
    enum Side: Hashable, Sendable {
        case reading, writing
    }

    private var failures: [Side: StoreError] = [:]
    private var told: StoreError?
    /// The store takes too long to open. It counts as failing, but this is not announced.
    var isOverdue = false

    var isWriting: Bool { failures[.writing] == nil && !isOverdue }
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
