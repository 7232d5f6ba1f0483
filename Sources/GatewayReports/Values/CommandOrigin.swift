public import FlightMath

/// What answers carry back of the command.
public struct CommandOrigin: Equatable, Sendable {
    public var id: JSONValue?
    /// `tune`, `mute` …; nil when the command was not understood.
    public var verb: String?
    public var reply: ReplyAddress
    var receivedAt: Moment

    public init(id: JSONValue? = nil, verb: String? = nil, reply: ReplyAddress, receivedAt: Moment) {
        self.id = id
        self.verb = verb
        self.reply = reply
        self.receivedAt = receivedAt
    }
}
