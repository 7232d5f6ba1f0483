/// A message from the broker.
public struct IncomingMessage: Equatable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var isRetained: Bool
    /// The message may be an old retained one without its flag: on MQTT 3.1.1, within a second after the subscription.
    public var mayBeRetained: Bool
    public var responseTopic: String?
    public var correlationData: [UInt8]?

    public init(
        topic: String, payload: [UInt8], isRetained: Bool = false, mayBeRetained: Bool = false,
        responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.mayBeRetained = mayBeRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}
