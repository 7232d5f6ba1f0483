import FlightMath

/// Where a command comes in, and so what it may be: a broker's access list can give a dashboard the mute alone.
public enum CommandDoor: Equatable, Sendable, CaseIterable {
    /// Every command, as JSON.
    case any
    /// A frequency: plain, or JSON of the tune command without a type.
    case frequency
    /// A sonde type: plain, or JSON of the tune command without a frequency.
    case sondeType
    case mute
    /// A request for the settings: anything, or JSON of that command.
    case requestSettings
}

/// Where a command came from, and so where its answers go.
public enum ReplyAddress: Equatable, Sendable {
    /// The request's own response topic and correlation data (MQTT 5); nil goes to `<p>/command/response`.
    case mqtt(topic: String?, correlationData: [UInt8]?)
    /// One of the page's requests, by number; MQTT sees nothing of it.
    case page(UInt64)
}

/// A command as it came in, unread.
public struct IncomingCommand: Equatable, Sendable {
    public var body: [UInt8]
    public var door: CommandDoor
    public var reply: ReplyAddress
    /// What the way in has against it, whatever it says.
    public var refusal: CommandRefusal?

    public init(
        body: [UInt8], door: CommandDoor = .any, reply: ReplyAddress = .mqtt(topic: nil, correlationData: nil),
        refusal: CommandRefusal? = nil
    ) {
        self.body = body
        self.door = door
        self.reply = reply
        self.refusal = refusal
    }
}

/// What answers carry back of the command.
public struct CommandOrigin: Equatable, Sendable {
    var id: JSONValue?
    /// `tune`, `mute` …; nil when the command was not understood.
    var verb: String?
    public var reply: ReplyAddress
    var receivedAt: Moment
}
