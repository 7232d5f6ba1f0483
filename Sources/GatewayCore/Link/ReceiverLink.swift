import ReceiverProtocol

/// What the link to the receiver is good for, judged by its frames and never by "connected".
struct ReceiverLink: Equatable, Sendable {
    enum State: String, CaseIterable, Sendable {
        /// No link, or no valid frame on it yet. To readyForCommands with the first valid frame.
        case notConnected
        /// The receiver talks and takes commands. To dataReady with a plausible position.
        case readyForCommands
        /// Positions come in. Back to readyForCommands when they stop, to notConnected when the link ends.
        case dataReady
    }

    /// With another frame type in between, a position keeps the state this long, seconds.
    static let positionGrace = 10.0
    /// Without any frame telling otherwise, a position keeps the state this long, seconds.
    static let positionLimit = 30.0
    /// A link without a valid frame for this long is torn down, seconds.
    static let silenceLimit = 15.0

    private(set) var state = State.notConnected
    /// Of the open link; nil without one.
    private(set) var peer: ReceiverPeer?
    private(set) var lastFrameAt: MonotonicTime?
    private var lastPositionAt: MonotonicTime?
    private var openedAt = MonotonicTime.zero

    var canReceiveCommands: Bool { state != .notConnected }
    var hasTelemetry: Bool { state == .dataReady }
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
        } else if state == .notConnected || isPositionOlder(than: Self.positionGrace, at: now) {
            state = .readyForCommands
        }
    }

    /// Time passed without a frame.
    mutating func checkPositionAge(at now: MonotonicTime) {
        if hasTelemetry, isPositionOlder(than: Self.positionLimit, at: now) { state = .readyForCommands }
    }

    /// When ``checkPositionAge(at:)`` can next change anything.
    var positionDeadline: MonotonicTime? {
        hasTelemetry ? lastPositionAt?.advanced(by: Self.positionLimit + 0.001) : nil
    }

    /// When the link counts as silent, unless a frame comes first.
    var silenceDeadline: MonotonicTime? {
        isOpen ? (lastFrameAt ?? openedAt).advanced(by: Self.silenceLimit) : nil
    }

    private func isPositionOlder(than seconds: Double, at now: MonotonicTime) -> Bool {
        guard let lastPositionAt else { return true }
        return now > lastPositionAt.advanced(by: seconds)
    }
}
