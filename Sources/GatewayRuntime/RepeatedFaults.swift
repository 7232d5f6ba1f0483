import ReceiverProtocol

/// Admits a repeated fault once, then once a minute with a count.
///
/// Other messages may end a fault ("online"). Such a message is admitted again if a fault was logged since, so that the
/// log does not end with a fault that is over. For a receiver that comes and goes:
///
/// ```
/// 0 s online: logged   3 s lost: logged   4 s online: logged   9 s lost: not logged   10 s online: not logged
/// ```
struct RepeatedFaults: Equatable {
    static let interval = Duration.seconds(60)
    /// The most different messages in the table. Beyond it the table is emptied, so a message may be logged too early.
    static let limit = 64

    private struct Entry: Equatable {
        var saidAt: MonotonicTime
        var count: Int
        /// ``RepeatedFaults/faultsSaid`` at that time.
        var faultsSaid: Int
    }

    private var entries: [String: Entry] = [:]
    private var faultsSaid = 0

    /// - Returns: how often the message came since it was last logged, this time included; nil not to log it.
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
