/// An event of the MQTT session.
public enum BrokerEvent: Equatable, Sendable {
    /// Connected and subscribed. All retained messages must be published again.
    case connected(MQTTVersion)
    case disconnected(BrokerFailure)
    /// The broker of this session does not offer this; the client goes on without it.
    case lacks(BrokerFeature)
    /// A connection attempt failed; the next one follows by itself.
    case connectFailed(BrokerFailure)
    /// The broker speaks no MQTT 5. The next attempt uses 3.1.1, at once.
    case downgraded(reason: String)
    case message(IncomingMessage)
    /// A message was dropped, because it has more bytes than the client accepts.
    case oversized(topic: String, bytes: Int)
    /// ``MessageBroker/publish(_:)`` has room again, or the line has proven that it carries longer messages.
    case drained
    /// The broker has acknowledged the messages with these keys.
    case acknowledged([UInt64])
    case refused(MessageRefusal)
    /// The broker limits the number of messages. The session gives back those that it refused and those behind them, in
    /// order. Publish the newest of each topic again when there is room.
    case returned([OutgoingMessage])
    /// The broker refused a subscription, so nothing arrives on this topic. The session retries every 30 s.
    case subscriptionRefused(topic: String, reason: String)
    /// The broker has accepted a subscription that it refused before.
    case subscriptionAccepted(topic: String)
}

/// The broker refused a message.
public struct MessageRefusal: Equatable, Sendable {
    public var topic: String
    /// The size of the whole packet.
    public var bytes: Int
    public var reason: String
    /// The message's key. A permanent refusal counts as an acknowledgement; a transient one does not.
    public var key: UInt64?
    /// The broker may accept the message later: a quota is exceeded, or the broker is busy. The session sends a retained
    /// message again; the spool replays one with a key.
    public var isTransient: Bool
    /// The message comes back by ``BrokerEvent/returned(_:)``.
    public var isGivenBack: Bool

    public init(
        topic: String, bytes: Int, reason: String, key: UInt64?, isTransient: Bool = false,
        isGivenBack: Bool = false
    ) {
        self.topic = topic
        self.bytes = bytes
        self.reason = reason
        self.key = key
        self.isTransient = isTransient
        self.isGivenBack = isGivenBack
    }
}
