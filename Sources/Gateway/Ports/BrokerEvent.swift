/// What the MQTT session reports.
public enum BrokerEvent: Equatable, Sendable {
    /// Connected and subscribed: everything retained is to be published anew.
    case connected(MQTTVersion)
    case disconnected(BrokerFailure)
    /// A connection attempt failed; the next one follows by itself.
    case connectFailed(BrokerFailure)
    /// The broker speaks no MQTT 5: the next attempt uses 3.1.1, at once.
    case downgraded(reason: String)
    case message(IncomingMessage)
    /// Messages wait no longer: ``MessageBroker/publish(_:)`` has room again.
    case drained
    /// The broker has the messages with these keys.
    case acknowledged([UInt64])
    case refused(MessageRefusal)
    /// The broker doesn't let our login subscribe: nothing arrives on this topic. It is tried again every 30 s.
    case subscriptionRefused(topic: String, reason: String)
    /// The broker accepts a subscription that it had refused.
    case subscriptionAccepted(topic: String)
}

/// The broker has not taken a message.
public struct MessageRefusal: Equatable, Sendable {
    public var topic: String
    /// Of the whole packet.
    public var bytes: Int
    public var reason: String
    /// The message's own. After a permanent refusal it counts as acknowledged; after a transient one it doesn't.
    public var key: UInt64?
    /// Later the broker may take it: a quota is exceeded, the broker is busy.
    public var isTransient: Bool

    public init(topic: String, bytes: Int, reason: String, key: UInt64?, isTransient: Bool = false) {
        self.topic = topic
        self.bytes = bytes
        self.reason = reason
        self.key = key
        self.isTransient = isTransient
    }
}
