import DequeModule

/// Sends fewer messages where the broker limits their number. Some brokers refuse the messages above their limit, and
/// others end the session and give no reason. The pace begins at the first refusal, or when sessions end under any
/// client id, so that no other client is the cause. It holds over the sessions.
///
/// | event | the time between two messages |
/// | --- | --- |
/// | the first refusal | as many a second go as the broker took in the last second, less a tenth |
/// | it took none, so it may be busy | ``firstAfterNone``, and as above at the first refusal after it took some |
/// | the first session's end | ``shortest`` |
/// | a message at a new pace is refused, or the session ends after twice the time without a pace or more | doubles |
/// | a message at a pace that has proven itself is refused | grows by a tenth |
/// | enough messages went at this pace | shrinks by a fifth, or to a quarter if the broker is only known to be busy |
/// | that was too fast | as before, and the next try needs twice as many messages |
/// | the session ends sooner | no pace: the number of messages is not the cause |
/// | it is shorter than ``negligible`` | no pace: the broker takes what there is to send |
///
/// Only messages that had to wait for the pace show whether the broker takes as many.
struct SendingPace: Equatable {
    static let shortest = Duration.milliseconds(300)
    static let longest = Duration.milliseconds(4800)
    static let firstAfterNone = Duration.seconds(1)
    /// A gateway seldom has more to send.
    static let negligible = Duration.milliseconds(20)
    /// Brokers count in whole seconds. After a refusal nothing goes for this time, so that the next second begins anew.
    static let pause = Duration.seconds(1)
    /// A message sent this shortly after the end of its wait has waited. It is a part of the interval.
    private static let waited = 0.25
    /// The messages before the first try of a shorter interval, and the time that the most before a later one take. A
    /// refused message costs little; the end of a session costs more.
    private static let firstProof = 8
    private static let (longestProof, longestProofOfEnd) = (Duration.seconds(600), Duration.seconds(3600))
    /// The most accepted messages that are remembered.
    private static let mostRemembered = 100

    /// A message's part in the pace.
    struct Turn: Equatable {
        fileprivate var sentAt: ContinuousClock.Instant
        /// It had waited for the pace.
        fileprivate var isProof: Bool
    }

    /// The time between two messages; nil for no pace.
    private(set) var interval: Duration?
    /// The interval before it was shortened; nil if it was not, or if the shorter one has proven itself.
    private var before: Duration?
    /// The broker took nothing when the pace began, so nothing is known of its limit.
    private var isUnknown = false
    /// The messages that were taken at this pace.
    private var taken = 0
    /// How many must be before a shorter interval is tried.
    private var proof = firstProof
    private var hasProven = false
    private var changedAt: ContinuousClock.Instant?
    private var sentAt: ContinuousClock.Instant?
    /// When the last messages were acknowledged.
    private var acknowledged: Deque<ContinuousClock.Instant> = []
    /// How long the last session without a pace stood; nil before the first.
    private var unpaced: Duration?
    private var isGivenUp = false

    mutating func sent(at now: ContinuousClock.Instant) -> Turn {
        defer { sentAt = now }
        guard let interval, let sentAt else { return Turn(sentAt: now, isProof: false) }
        return Turn(sentAt: now, isProof: now - sentAt < interval * (1 + Self.waited))
    }

    /// The broker has taken a message.
    mutating func accepted(_ turn: Turn, at now: ContinuousClock.Instant) {
        if acknowledged.count == Self.mostRemembered { acknowledged.removeFirst() }
        acknowledged.append(now)
        guard let interval, isOfThisPace(turn), turn.isProof || isUnknown else { return }
        taken += 1
        if taken >= Self.firstProof { (before, hasProven) = (nil, true) }
        guard taken >= (isUnknown ? 1 : proof) else { return }
        change(to: isUnknown ? interval / 4 : interval * 0.8, at: now)
        before = interval
        if let next = self.interval, next < Self.negligible { letGo() }
    }

    /// The broker has refused a message, or ended the session, because there were too many.
    /// - Parameter turn: the message's; nil for the session's end.
    /// - Returns: false if the message was sent before the pace was changed, so it shows nothing.
    @discardableResult mutating func refused(_ turn: Turn? = nil, at now: ContinuousClock.Instant) -> Bool {
        if let turn, !isOfThisPace(turn) { return false }
        let isFirst = interval == nil || isUnknown
        if isFirst, let rate = lastRate(at: now) {
            isUnknown = false
            change(to: max(.seconds(1.1) / rate, Self.negligible), at: now)
        } else if let interval {
            if takesBack(at: now) { return true }
            change(to: min(hasProven ? interval * 1.1 : interval * 2, Self.longest), at: now)
        } else {
            isUnknown = true
            change(to: Self.firstAfterNone, at: now)
        }
        return true
    }

    /// A session ended for which nobody else is to blame.
    mutating func sessionEnded(stood: Duration) {
        guard !isGivenUp else { return }
        guard let interval, let unpaced else {
            unpaced = stood
            let first = min(max(Self.shortest, (interval ?? .zero) * 2), Self.longest)
            proof = messages(in: Self.longestProof, at: first)
            return change(to: first, at: nil)
        }
        if takesBack(at: nil) { return }
        guard stood >= unpaced * 2 else {
            letGo()
            return isGivenUp = true
        }
        change(to: min(interval * 2, Self.longest), at: nil)
    }

    /// The session is with another broker, which may have another limit. What makes sessions end stays: it may be the
    /// line.
    mutating func brokerChanged() {
        if unpaced == nil { self = Self() }
    }

    /// How many messages the broker took in the last second; nil if none.
    private mutating func lastRate(at now: ContinuousClock.Instant) -> Int? {
        acknowledged.removeAll { now - $0 > .seconds(1) }
        return acknowledged.isEmpty ? nil : acknowledged.count
    }

    private func isOfThisPace(_ turn: Turn) -> Bool { changedAt.map { turn.sentAt >= $0 } ?? true }

    /// - Returns: whether the interval had been shortened and is as before again.
    private mutating func takesBack(at now: ContinuousClock.Instant?) -> Bool {
        guard let before else { return false }
        let longest = unpaced == nil ? Self.longestProof : Self.longestProofOfEnd
        proof = min(proof * 2, messages(in: longest, at: before))
        change(to: before, at: now)
        hasProven = true
        return true
    }

    private func messages(in time: Duration, at interval: Duration) -> Int {
        max(Self.firstProof, Int(time / interval))
    }

    /// - Parameter now: nil between two sessions.
    private mutating func change(to interval: Duration, at now: ContinuousClock.Instant?) {
        (self.interval, before, taken, hasProven, changedAt) = (interval, nil, 0, false, now)
    }

    private mutating func letGo() {
        (interval, before, isUnknown, hasProven, changedAt) = (nil, nil, false, false, nil)
        (taken, proof) = (0, Self.firstProof)
    }
}
