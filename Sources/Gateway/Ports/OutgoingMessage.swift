/// A message for the broker.
public struct OutgoingMessage: Equatable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var qos: UInt8
    public var isRetained: Bool
    /// MQTT 5 message expiry, seconds. The broker deletes the message after this time.
    public var expirySeconds: UInt32?
    /// The MQTT 5 correlation data of the request that this message answers.
    public var correlationData: [UInt8]?
    /// The topic for the replay after an outage; nil if the message is not kept.
    public var historyTopic: String?
    /// The spool gives a key to every message with a history topic.
    public var key: UInt64?

    public init(
        topic: String, payload: [UInt8], qos: UInt8 = 1, isRetained: Bool = false, expirySeconds: UInt32? = nil,
        correlationData: [UInt8]? = nil, historyTopic: String? = nil, key: UInt64? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
        self.expirySeconds = expirySeconds
        self.correlationData = correlationData
        self.historyTopic = historyTopic
        self.key = key
    }
}
