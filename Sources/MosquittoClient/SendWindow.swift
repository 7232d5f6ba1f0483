import DequeModule

/// Bounds the messages under way by what the line carries, so that a slow line sends new values instead of a long queue
/// of old ones.
///
/// The window is what the line carries in two round trips and ``queueTime``. Rate and round trip come from the
/// acknowledgements: kernel and modem may hold any number of bytes, but the broker acknowledges only what it has.
///
/// | line | window |
/// | --- | --- |
/// | not measured yet | ``firstBytes`` |
/// | less than ``wideBytes`` | the window's bytes, at most ``thinMessages`` |
/// | wide | ``MosquittoClient/window`` messages, whatever their bytes |
/// | the oldest message has waited too long | nothing more is sent |
struct SendWindow {
    static let firstBytes = 4096
    static let wideBytes = 65_536
    static let thinMessages = 20
    /// The time that messages may wait in the line itself.
    static let queueTime = Duration.seconds(1)
    /// With an older message under way the line is taken to stand still.
    static let stallLimit = Duration.seconds(2)
    /// A rate is remembered for one to two such times.
    static let rateMemory = Duration.seconds(5)

    /// What a sent message needs to know when it is acknowledged.
    struct Ticket {
        fileprivate var sentAt: ContinuousClock.Instant
        /// The bytes sent in this session up to this message's end.
        fileprivate var end: Int
        /// The bytes that the broker had when the message was sent.
        fileprivate var deliveredBefore: Int
        /// More messages waited behind it, so the line was busy.
        fileprivate var isBacklogged: Bool
    }

    private var sentBytes = 0
    private var deliveredBytes = 0
    /// The unacknowledged messages, oldest first. Those without acknowledgement (QoS 0) only count as bytes.
    private var underWay: Deque<Ticket> = []
    /// The shortest time from a message to its acknowledgement.
    private(set) var roundTrip: Duration?
    /// The highest rates of this and the last ``rateMemory``, in bytes a second.
    private var rates = (now: 0.0, before: 0.0)
    private var ratesSince: ContinuousClock.Instant?

    /// Bytes a second that the line has carried lately; nil before the first acknowledgement.
    var bytesPerSecond: Double? { ratesSince == nil ? nil : max(rates.now, rates.before) }

    /// The most bytes under way.
    private var limit: Int {
        guard let bytesPerSecond, let roundTrip else { return Self.firstBytes }
        let bytes = bytesPerSecond * ((roundTrip * 2 + Self.queueTime) / .seconds(1))
        return max(1, Int(min(bytes, Double(Self.wideBytes))))
    }

    /// - Parameters:
    ///   - isAcknowledged: false for QoS 0.
    ///   - isBacklogged: more messages wait.
    mutating func sent(
        bytes: Int, isAcknowledged: Bool, isBacklogged: Bool, at now: ContinuousClock.Instant
    ) -> Ticket {
        sentBytes += bytes
        let ticket = Ticket(
            sentAt: now, end: sentBytes, deliveredBefore: deliveredBytes, isBacklogged: isBacklogged)
        if isAcknowledged { underWay.append(ticket) }
        return ticket
    }

    mutating func acknowledged(_ ticket: Ticket, at now: ContinuousClock.Instant) {
        deliveredBytes = max(deliveredBytes, ticket.end)
        while let first = underWay.first, first.end <= deliveredBytes { underWay.removeFirst() }
        let time = max(now - ticket.sentAt, .microseconds(1))
        roundTrip = min(roundTrip ?? time, time)
        let rate = Double(deliveredBytes - ticket.deliveredBefore) / (time / .seconds(1))
        // An idle line shows how fast it is at least.
        guard ticket.isBacklogged || rate > bytesPerSecond ?? 0 else { return }
        if let ratesSince, now - ratesSince < Self.rateMemory {
            rates.now = max(rates.now, rate)
        } else {
            rates = (rate, rates.now)
            ratesSince = now
        }
    }

    /// The line is as good as any: only ``MosquittoClient/window`` bounds what is under way.
    var isWide: Bool { limit >= Self.wideBytes }

    /// The bytes that may still be sent; `Int.max` on a wide line, 0 if the window is full or the line stands still.
    func room(at now: ContinuousClock.Instant) -> Int {
        guard let oldest = underWay.first else { return isWide ? .max : limit }
        let stallLimit = max(Self.stallLimit, (roundTrip ?? .zero) * 2 + Self.queueTime)
        guard now - oldest.sentAt < stallLimit else { return 0 }
        if isWide { return .max }
        guard underWay.count < Self.thinMessages else { return 0 }
        return max(0, limit - (sentBytes - deliveredBytes))
    }
}
