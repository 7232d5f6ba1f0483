import ReceiverProtocol

/// An answer to a command. Each command gets exactly one final answer.
public struct CommandAnswer: Equatable, Sendable {
    public enum Status: String, CaseIterable, Sendable {
        /// Valid and queued. Never final.
        case accepted
        /// Written to the receiver's link. Final if the receiver can't show the value.
        case written
        /// A later frame has shown the new value.
        case confirmed
        /// The gateway itself has carried the command out.
        case done
        case rejected
        /// No frame showed the value in time.
        case timedOut = "timed_out"
    }

    public var origin: CommandOrigin
    public var status: Status
    public var error: CommandRefusal?
    public var isFinal: Bool
    /// The values that the receiver should show, with their published names; nil if there are none.
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
