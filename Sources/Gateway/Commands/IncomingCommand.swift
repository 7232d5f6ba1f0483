public import GatewayReports

/// The kind of topic on which a command comes. It decides which commands are allowed, so a broker's access list can
/// restrict a dashboard to the mute.
public enum CommandDoor: Equatable, Sendable, CaseIterable {
    /// Any command, as JSON.
    case any
    /// A frequency: a plain value, or the JSON tune command without a type.
    case frequency
    /// A sonde type: a plain value, or the JSON tune command without a frequency.
    case sondeType
    case mute
    /// A request for the settings: any text, or that command as JSON.
    case requestSettings
}

/// A command before it is decoded.
public struct IncomingCommand: Equatable, Sendable {
    public var body: [UInt8]
    public var door: CommandDoor
    public var reply: ReplyAddress
    /// Why the command is refused regardless of its content, for example because it is retained; nil if it is not.
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
