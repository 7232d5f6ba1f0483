import GatewayReports
import ReceiverProtocol

/// What the link to the receiver is good for, judged by its frames and never by "connected".
///
///                    first valid frame                plausible position
///     notConnected ---------------------> readyForCommands <-----------> dataReady
///          ^                                     |     position older than   |
///          |                                     |     10 s (other frame),   |
///          +---- closed, or silent for 15 s -----+---- 30 s (timer) ---------+
struct ReceiverLink: Equatable, Sendable {

    /// With another frame type in between, a position keeps the state this long (specification 2.2).
    static let positionGrace = Duration.seconds(10)
    /// Without any frame telling otherwise, a position keeps the state this long (2.2).
    static let positionLimit = Duration.seconds(30)
    /// A link without a valid frame for this long is torn down (1.1).
    static let silenceLimit = Duration.seconds(15)
    /// Who looks so much too late has slept (a suspended machine, one that is far too busy): the receiver may have talked
    /// all the time, and what it said is still on its way. It gets ``wakingGrace`` more, once.
    static let oversleeping = Duration.milliseconds(500)
    static let wakingGrace = Duration.seconds(2)

    private(set) var state = LinkState.notConnected
    /// Of the open link; nil without one.
    private(set) var peer: ReceiverPeer?
    private var lastFrameAt: MonotonicTime?
    private var lastPositionAt: MonotonicTime?
    private var openedAt = MonotonicTime.zero
    private var graceUntil: MonotonicTime?

    var isOpen: Bool { peer != nil }

    mutating func opened(_ peer: ReceiverPeer, at now: MonotonicTime) {
        self = ReceiverLink()
        self.peer = peer
        openedAt = now
    }

    mutating func closed() {
        self = ReceiverLink()
    }

    mutating func measured(rssiDBm: Int) {
        peer?.rssiDBm = rssiDBm
    }

    /// A valid frame arrived. One that comes without an open link (late, from a closed one) changes nothing.
    mutating func received(hasPlausiblePosition: Bool, at now: MonotonicTime) {
        guard isOpen else { return }
        lastFrameAt = now
        graceUntil = nil
        if hasPlausiblePosition {
            lastPositionAt = now
            state = .dataReady
        } else if state == .notConnected || isPosition(olderThan: Self.positionGrace, at: now) {
            state = .readyForCommands
        }
    }

    /// Time passed without a frame.
    mutating func checkPositionAge(at now: MonotonicTime) {
        if state == .dataReady, isPosition(olderThan: Self.positionLimit, at: now) { state = .readyForCommands }
    }

    /// - Returns: whether the link is open, and no valid frame came in time.
    mutating func judgeSilence(at now: MonotonicTime) -> Bool {
        guard let silenceDeadline, now >= silenceDeadline else { return false }
        guard graceUntil == nil, silenceDeadline.duration(to: now) > Self.oversleeping else { return true }
        graceUntil = now.advanced(by: Self.wakingGrace)
        return false
    }

    /// When ``judgeSilence(at:)`` or ``checkPositionAge(at:)`` can next change anything.
    var deadline: MonotonicTime? {
        guard state == .dataReady, let lastPositionAt else { return silenceDeadline }
        let position = lastPositionAt.advanced(by: Self.positionLimit)
        return silenceDeadline.map { min($0, position) } ?? position
    }

    private var silenceDeadline: MonotonicTime? {
        isOpen ? graceUntil ?? (lastFrameAt ?? openedAt).advanced(by: Self.silenceLimit) : nil
    }

    private func isPosition(olderThan limit: Duration, at now: MonotonicTime) -> Bool {
        guard let lastPositionAt else { return true }
        return now >= lastPositionAt.advanced(by: limit)
    }
}
