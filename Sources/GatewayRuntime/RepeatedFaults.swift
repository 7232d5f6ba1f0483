import ReceiverProtocol

/// Says a repeated fault once, then once a minute with a count; also one that comes and goes.
///
/// What is no fault may be the end of one: it is said again as soon as a fault was, so that a fault that has passed is not
/// the last word. Of a receiver that comes and goes:
///
/// ```
/// 0 s online -> said    3 s lost -> said    4 s online -> said    9 s lost -> silent    10 s online -> silent
/// ```
struct RepeatedFaults: Equatable {
    static let interval = Duration.seconds(60)
    /// Different faults told apart; beyond it the table begins anew, so that a fault may be said once too often.
    static let limit = 64

    private struct Entry: Equatable {
        var saidAt: MonotonicTime
        var count: Int
        /// How many faults had been said by then.
        var faultsSaid: Int
    }

    private var entries: [String: Entry] = [:]
    private var faultsSaid = 0

    /// - Returns: how often the message came since it was said last, this time included; nil to keep silent.
    mutating func admits(_ message: String, isFault: Bool = true, at now: MonotonicTime) -> Int? {
        if entries.count >= Self.limit, entries[message] == nil { entries = [:] }
        let last = entries[message]
        let count = (last?.count ?? 0) + 1
        let mayEndFault = !isFault && last?.faultsSaid != faultsSaid
        if let last, !mayEndFault, now < last.saidAt.advanced(by: Self.interval) {
            entries[message]?.count = count
            return nil
        }
        if isFault { faultsSaid += 1 }
        entries[message] = Entry(saidAt: now, count: 0, faultsSaid: faultsSaid)
        return count
    }
}
