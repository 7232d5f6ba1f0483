import ReceiverProtocol

/// What the link to the receiver is good for, judged by its frames and never by "connected".
///
///                    first valid frame                plausible position
///     notConnected ---------------------> readyForCommands <-----------> dataReady
///          ^                                     |     position older than   |
///          |                                     |     10 s (other frame),   |
///          +---- closed, or silent for 15 s -----+---- 30 s (timer) ---------+
struct ReceiverLink: Equatable, Sendable {
    enum State: String, CaseIterable, Sendable {
        /// No link, or no valid frame on it yet. To readyForCommands with the first valid frame.
        case notConnected
        /// The receiver talks and takes commands. To dataReady with a plausible position.
        case readyForCommands
        /// Positions come in. Back to readyForCommands when they stop, to notConnected when the link ends.
        case dataReady
    }

    /// With another frame type in between, a position keeps the state this long (specification 2.2).
    static let positionGrace = Duration.seconds(10)
    /// Without any frame telling otherwise, a position keeps the state this long (2.2).
    static let positionLimit = Duration.seconds(30)
    /// A link without a valid frame for this long is torn down (1.1).
    static let silenceLimit = Duration.seconds(15)

    private(set) var state = State.notConnected
    /// Of the open link; nil without one.
    private(set) var peer: ReceiverPeer?
    private var lastFrameAt: MonotonicTime?
    private var lastPositionAt: MonotonicTime?
    private var openedAt = MonotonicTime.zero

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

    /// The link is open, and no valid frame came in time.
    func isSilent(at now: MonotonicTime) -> Bool { silenceDeadline.map { now >= $0 } ?? false }

    /// When ``isSilent(at:)`` or ``checkPositionAge(at:)`` can next change anything.
    var deadline: MonotonicTime? {
        guard state == .dataReady, let lastPositionAt else { return silenceDeadline }
        let position = lastPositionAt.advanced(by: Self.positionLimit)
        return silenceDeadline.map { min($0, position) } ?? position
    }

    private var silenceDeadline: MonotonicTime? {
        isOpen ? (lastFrameAt ?? openedAt).advanced(by: Self.silenceLimit) : nil
    }

    private func isPosition(olderThan limit: Duration, at now: MonotonicTime) -> Bool {
        guard let lastPositionAt else { return true }
        return now >= lastPositionAt.advanced(by: limit)
    }
}
