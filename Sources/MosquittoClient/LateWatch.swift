import DequeModule

/// Notices messages that the broker leaves without acknowledgement for too long, so that nobody has to look after each
/// one whether it was taken.
struct LateWatch {
    /// Whoever keeps the message elsewhere, in case it is lost, does so from then on. The acknowledgements of a frame are
    /// read with the next one's messages, which come in a second, if a moment late for once.
    static let patience = Duration.milliseconds(1050)

    /// With one that is late, those are meant that will be so soon: nobody is told more often than twice a second.
    static let soon = Duration.milliseconds(500)

    /// In the order in which they were sent.
    private var waiting: Deque<(messageID: Int32, since: ContinuousClock.Instant)> = []
    /// Of the first ones.
    private var toldCount = 0
    private var toldAt: ContinuousClock.Instant?

    mutating func sent(_ messageID: Int32, at now: ContinuousClock.Instant) {
        waiting.append((messageID, now))
    }

    mutating func acknowledged(isUnderWay: (Int32) -> Bool) {
        while let first = waiting.first, !isUnderWay(first.messageID) {
            waiting.removeFirst()
            toldCount = max(0, toldCount - 1)
        }
    }

    /// When ``tells(at:)`` will say yes, if nothing is acknowledged; nil when everything is.
    var deadline: ContinuousClock.Instant? {
        let next = toldCount < waiting.count ? waiting[toldCount].since + Self.patience : nil
        let again = toldCount > 0 ? toldAt.map { $0 + Self.patience } : nil
        return [next, again].compactMap { $0 }.min()
    }

    /// - Returns: whether a message is late; again after ``patience`` as long as one is.
    mutating func tells(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, now >= deadline else { return false }
        toldAt = now
        toldCount = waiting.count { $0.since + (Self.patience - Self.soon) <= now }
        return true
    }
}
