public import FlightMath

/// The parts of a command that its answers repeat.
public struct CommandOrigin: Equatable, Sendable {
    public var id: JSONValue?
    /// `tune`, `mute` …; nil if the command was not understood.
    public var verb: String?
    public var reply: ReplyAddress
    public var receivedAt: Moment

    public init(id: JSONValue? = nil, verb: String? = nil, reply: ReplyAddress, receivedAt: Moment) {
        self.id = id
        self.verb = verb
        self.reply = reply
        self.receivedAt = receivedAt
    }
}
