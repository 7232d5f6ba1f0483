import ReceiverProtocol

/// Says a repeated fault once, then once a minute with a count; also one that comes and goes.
struct RepeatedFaults: Equatable {
    static let interval = Duration.seconds(60)
    /// Different faults told apart; beyond it the table begins anew, so that a fault may be said once too often.
    static let limit = 64

    private struct Entry: Equatable {
        var saidAt: MonotonicTime
        var count: Int
    }

    private var entries: [String: Entry] = [:]

    /// - Returns: how often the fault came since it was said last, this time included; nil to keep silent.
    mutating func admits(_ fault: String, at now: MonotonicTime) -> Int? {
        if entries.count >= Self.limit, entries[fault] == nil { entries = [:] }
        var entry = entries[fault] ?? Entry(saidAt: now, count: 0)
        entry.count += 1
        let isDue = entries[fault] == nil || now >= entry.saidAt.advanced(by: Self.interval)
        defer { entries[fault] = isDue ? Entry(saidAt: now, count: 0) : entry }
        return isDue ? entry.count : nil
    }
}
