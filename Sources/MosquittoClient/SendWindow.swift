import DequeModule

/// Bounds the messages under way by what the line carries, so that a slow line sends new values instead of a long queue
/// of old ones.
///
/// The window is a number of bytes. It follows how late an acknowledgement is, compared with the fastest one: kernel and
/// modem may hold any number of bytes, but the broker acknowledges only what it has.
///
/// | late by | the window |
/// | --- | --- |
/// | less than a quarter of ``queueTime`` | grows by the acknowledged bytes |
/// | less than ``queueTime`` | grows by at most a message for each round trip |
/// | less than twice of it | shrinks as slowly |
/// | more | becomes what the line carries in a round trip and ``queueTime`` |
///
/// It grows only while it is what holds messages back. On a line slower than ``thinRate`` at most ``thinMessages`` are
/// under way. If the oldest message waits too long, nothing more is sent.
struct SendWindow {
    static let firstBytes = 1024
    static let wideBytes = 65_536
    private static let mostBytes = 1 << 20
    static let thinMessages = 20
    /// Bytes a second.
    static let thinRate = 20_000.0
    /// The time that messages may wait in the line itself.
    static let queueTime = Duration.seconds(1)
    /// With an older message under way the line is taken to stand still.
    static let stallLimit = Duration.seconds(2)
    /// A rate is remembered for one to two such times.
    static let rateMemory = Duration.seconds(5)

    /// What a sent message needs to know when it is acknowledged.
    struct Ticket {
        fileprivate(set) var sentAt: ContinuousClock.Instant
        fileprivate var bytes: Int
        /// The bytes sent in this session up to this message's end.
        fileprivate var end: Int
        /// The bytes that the broker had when the message was sent, when the last of them was acknowledged, and when that
        /// one was sent. Without anything under way both times are the message's own.
        fileprivate var deliveredBefore: Int
        fileprivate var deliveredAt: ContinuousClock.Instant
        fileprivate var firstSentAt: ContinuousClock.Instant
        /// More messages waited behind it, so the line was busy.
        fileprivate var isBacklogged: Bool
    }

    private var limit = firstBytes
    private var sentBytes = 0
    private var sentMessages = 0
    private var deliveredBytes = 0
    private var deliveredAt: ContinuousClock.Instant?
    /// When the message was sent that was acknowledged last.
    private var firstSentAt: ContinuousClock.Instant?
    /// The unacknowledged messages, oldest first. Those without acknowledgement (QoS 0) only count as bytes.
    private var underWay: Deque<Ticket> = []
    /// The shortest time from a message to its acknowledgement.
    private(set) var roundTrip: Duration?
    /// The highest rates of this and the last ``rateMemory``, in bytes a second.
    private var rates = (now: 0.0, before: 0.0)
    private var ratesSince: ContinuousClock.Instant?
    private var proof = LineProof()

    /// Bytes a second that the line has carried lately; nil before the first acknowledgement.
    var bytesPerSecond: Double? { ratesSince == nil ? nil : max(rates.now, rates.before) }
    /// The line is so good that nothing waits for it.
    var isWide: Bool { limit >= Self.wideBytes }
    /// See ``LineProof``.
    var provenBytes: Int { proof.bytes }
    private var meanBytes: Int { sentBytes / max(1, sentMessages) }

    /// The broker has answered the session's subscriptions, of so many bytes, after this time.
    mutating func subscribed(_ bytes: Int, after time: Duration) { proof.answered(bytes, after: time) }

    /// - Parameters:
    ///   - isAcknowledged: false for QoS 0.
    ///   - isBacklogged: more messages wait.
    mutating func sent(
        bytes: Int, isAcknowledged: Bool, isBacklogged: Bool, at now: ContinuousClock.Instant
    ) -> Ticket {
        proof.sent(after: sentBytes, at: now)
        sentBytes += bytes
        sentMessages += 1
        if underWay.isEmpty { (deliveredAt, firstSentAt) = (now, now) }
        let ticket = Ticket(
            sentAt: now, bytes: bytes, end: sentBytes, deliveredBefore: deliveredBytes,
            deliveredAt: deliveredAt ?? now, firstSentAt: firstSentAt ?? now, isBacklogged: isBacklogged)
        if isAcknowledged { underWay.append(ticket) }
        return ticket
    }

    mutating func acknowledged(_ ticket: Ticket, at now: ContinuousClock.Instant) {
        deliveredBytes = max(deliveredBytes, ticket.end)
        while let first = underWay.first, first.end <= deliveredBytes { underWay.removeFirst() }
        let time = max(now - ticket.sentAt, .microseconds(1))
        let roundTrip = min(self.roundTrip ?? time, time)
        self.roundTrip = roundTrip
        // After a lost packet many acknowledgements come at once: the bytes took as long as it took to send them, too.
        let span = max(now - ticket.deliveredAt, ticket.sentAt - ticket.firstSentAt, .microseconds(1))
        let rate = Double(deliveredBytes - ticket.deliveredBefore) / (span / .seconds(1))
        (deliveredAt, firstSentAt) = (now, ticket.sentAt)
        follow(lateness: (time - roundTrip) / Self.queueTime, of: ticket, rate, roundTrip)
        proof.acknowledged(
            after: time, queued: ticket.end - ticket.deliveredBefore, delivered: deliveredBytes, at: now)
        // An idle line shows how fast it is at least.
        guard ticket.isBacklogged || rate > bytesPerSecond ?? 0 else { return }
        if let ratesSince, now - ratesSince < Self.rateMemory {
            rates.now = max(rates.now, rate)
        } else {
            rates = (rate, rates.now)
            ratesSince = now
        }
    }

    /// - Parameters:
    ///   - lateness: 1 is ``queueTime``.
    ///   - rate: bytes a second that the line carried while the message was under way.
    private mutating func follow(
        lateness: Double, of ticket: Ticket, _ rate: Double, _ roundTrip: Duration
    ) {
        // A small window must not become wide, or nothing, at once.
        let step = Double(ticket.bytes) * min(1, Double(meanBytes) / Double(max(limit, 1)))
        switch lateness {
        case 2...: limit = max(1, min(limit, Int(rate * ((roundTrip + Self.queueTime) / .seconds(1)))))
        case 1...: limit = max(1, limit - Int(step))
        case _ where !ticket.isBacklogged || (ticket.end - ticket.deliveredBefore) * 2 < limit: break
        case 0.25...: limit = min(Self.mostBytes, limit + Int(step * (1 - lateness)))
        default: limit = min(Self.mostBytes, limit + ticket.bytes)
        }
    }

    /// The window has no room for a further message, also on a wide line.
    var isFull: Bool { !underWay.isEmpty && sentBytes - deliveredBytes >= limit }

    /// The bytes that may be queued; `Int.max` on a wide line, 0 if the window is full or the line stands still.
    func room(at now: ContinuousClock.Instant) -> Int {
        guard let oldest = underWay.first else { return isWide ? .max : limit }
        let stallLimit = max(Self.stallLimit, (roundTrip ?? .zero) + Self.queueTime * 3 / 2)
        guard now - oldest.sentAt < stallLimit else { return 0 }
        guard !isWide else { return .max }
        let isSlow = bytesPerSecond.map { $0 < Self.thinRate } ?? false
        guard !isSlow || underWay.count < Self.thinMessages else { return 0 }
        return max(0, limit - (sentBytes - deliveredBytes) - meanBytes)
    }
}
