import GatewayReports

/// Whether the disk works, from its two sides: a failure is told once, and the recovery when neither fails any more.
/// A part of ``StoreMachine``.
struct StoreFailures: Sendable {
    enum Side: Hashable, Sendable {
        case reading, writing
    }

    private var failures: [Side: StoreError] = [:]
    private var told: StoreError?

    var isWriting: Bool { failures[.writing] == nil }
    var isReading: Bool { failures[.reading] == nil }
    /// Nothing is to be told when the next call works.
    var isNone: Bool { failures.isEmpty && told == nil }

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
