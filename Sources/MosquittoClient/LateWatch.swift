import DequeModule

/// Notices messages that the broker leaves without acknowledgement for too long, so that nobody has to look after each
/// one whether it was taken.
struct LateWatch {
    /// Whoever keeps the message elsewhere, in case it is lost, does so from then on. The acknowledgements of a frame are
    /// read with the next one's messages, which come in a second, if a moment late for once.
    static let patience = Duration.milliseconds(1050)

    /// In the order in which they were sent.
    private var waiting: Deque<(messageID: Int32, since: ContinuousClock.Instant)> = []
    private var toldAt: ContinuousClock.Instant?

    mutating func sent(_ messageID: Int32, at now: ContinuousClock.Instant) {
        waiting.append((messageID, now))
    }

    mutating func acknowledged(isUnderWay: (Int32) -> Bool) {
        while let first = waiting.first, !isUnderWay(first.messageID) { waiting.removeFirst() }
    }

    /// When ``tells(at:)`` will say yes, if nothing is acknowledged; nil when everything is.
    var deadline: ContinuousClock.Instant? {
        guard let oldest = waiting.first?.since else { return nil }
        return max(oldest, toldAt ?? oldest) + Self.patience
    }

    /// - Returns: whether a message is late; again after ``patience`` as long as one is.
    mutating func tells(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, now >= deadline else { return false }
        toldAt = now
        return true
    }
}
