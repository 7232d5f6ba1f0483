import ReceiverProtocol

/// One answer to a command; exactly one per command is final.
public struct CommandAnswer: Equatable, Sendable {
    public enum Status: String, CaseIterable, Sendable {
        /// Valid and queued. Never final.
        case accepted
        /// The receiver's link took it. Final where the receiver can't show the value.
        case written
        /// A later frame shows the new value.
        case confirmed
        /// Carried out by the gateway itself.
        case done
        case rejected
        /// No frame showed the value in time.
        case timedOut = "timed_out"
    }

    public var origin: CommandOrigin
    public var status: Status
    public var error: CommandRefusal?
    public var isFinal: Bool
    /// What the receiver is to show, as published.
    public var applied: [String: JSONValue]?

    public init(
        _ origin: CommandOrigin, _ status: Status, error: CommandRefusal? = nil, isFinal: Bool = false,
        applied: [String: JSONValue]? = nil
    ) {
        self.origin = origin
        self.status = status
        self.error = error
        self.isFinal = isFinal
        self.applied = applied
    }
}
