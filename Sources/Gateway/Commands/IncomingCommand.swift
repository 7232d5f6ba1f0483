public import GatewayReports

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
