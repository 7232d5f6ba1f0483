import GatewayReports
import ReceiverProtocol

/// The state of the link to the receiver. Only frames change it, because an open connection proves nothing.
///
///                    first valid frame                plausible position
///     notConnected ---------------------> readyForCommands <-----------> dataReady
///          ^                                     |     position older than   |
///          |                                     |     10 s (other frame),   |
///          +---- closed, or silent for 15 s -----+---- 30 s (timer) ---------+
struct ReceiverLink: Equatable, Sendable {

    /// With another frame type in between, a position keeps the state this long.
    static let positionGrace = Duration.seconds(10)
    /// Without any other frame, a position keeps the state this long. Because of ``silenceLimit`` this is reached only after the
    /// machine slept.
    static let positionLimit = Duration.seconds(30)
    /// A link without a valid frame for this long is closed.
    static let silenceLimit = Duration.seconds(15)
    /// If the check runs this much too late, the machine was suspended or very busy. Frames may still be on their way,
    /// so the link gets ``wakingGrace`` more, once.
    static let oversleeping = Duration.milliseconds(500)
    static let wakingGrace = Duration.seconds(2)
    /// To open a serial device may restart a board. Its boot text comes within this time.
    static let openingTime = Duration.seconds(3)

    private(set) var state = LinkState.notConnected
    /// The other end of the open link; nil without a link.
    private(set) var peer: ReceiverPeer?
    private var lastFrameAt: MonotonicTime?
    private var lastPositionAt: MonotonicTime?
    private var openedAt = MonotonicTime.zero
    private var graceUntil: MonotonicTime?

    var isOpen: Bool { peer != nil }

    /// The link was opened just now, or is not open.
    func isOpening(at now: MonotonicTime) -> Bool { !isOpen || openedAt.duration(to: now) < Self.openingTime }

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

    /// A valid frame arrived. Without an open link it changes nothing: it is late, from a closed link.
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

    /// Checks the last position's age when time has passed without a frame.
    mutating func checkPositionAge(at now: MonotonicTime) {
        if state == .dataReady, isPosition(olderThan: Self.positionLimit, at: now) { state = .readyForCommands }
    }

    /// - Returns: whether the link is open and no valid frame arrived in time.
    mutating func checkFrameAge(at now: MonotonicTime) -> Bool {
        guard let silenceDeadline, now >= silenceDeadline else { return false }
        guard graceUntil == nil, silenceDeadline.duration(to: now) > Self.oversleeping else { return true }
        graceUntil = now.advanced(by: Self.wakingGrace)
        return false
    }

    /// When ``checkFrameAge(at:)`` or ``checkPositionAge(at:)`` may next change something.
    var deadline: MonotonicTime? {
        guard state == .dataReady, let lastPositionAt else { return silenceDeadline }
        return .earliest(silenceDeadline, lastPositionAt.advanced(by: Self.positionLimit))
    }

    private var silenceDeadline: MonotonicTime? {
        isOpen ? graceUntil ?? (lastFrameAt ?? openedAt).advanced(by: Self.silenceLimit) : nil
    }

    private func isPosition(olderThan limit: Duration, at now: MonotonicTime) -> Bool {
        guard let lastPositionAt else { return true }
        return now >= lastPositionAt.advanced(by: limit)
    }
}
