/// A message in either direction.
public struct MosquittoMessage: Equatable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var qos: UInt8
    public var isRetained: Bool
    /// Incoming: it may be an old, retained one that doesn't show it; see ``MosquittoClient/retainedDoubt``.
    public var mayBeRetained = false
    /// The rest are MQTT 5 properties; they are dropped on a 3.1.1 session.
    public var expirySeconds: UInt32?
    public var responseTopic: String?
    public var correlationData: [UInt8]?
    /// Names the message in ``MosquittoEvent/acknowledged(_:)``; nil for those nobody waits for.
    public var key: UInt64?

    public init(
        topic: String, payload: [UInt8], qos: UInt8 = 1, isRetained: Bool = false, expirySeconds: UInt32? = nil,
        responseTopic: String? = nil, correlationData: [UInt8]? = nil, key: UInt64? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
        self.expirySeconds = expirySeconds
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.key = key
    }

    /// Bytes that it has on the wire as a PUBLISH packet.
    func packetBytes(_ version: MosquittoConfiguration.ProtocolVersion) -> Int {
        var rest = 2 + topic.utf8.count + payload.count + (qos > 0 ? 2 : 0)
        if version == .v5 {
            let properties =
                (expirySeconds == nil ? 0 : 5) + (responseTopic.map { 3 + $0.utf8.count } ?? 0)
                + (correlationData.map { 3 + $0.count } ?? 0)
            rest += properties + Self.lengthBytes(properties)
        }
        return 1 + Self.lengthBytes(rest) + rest
    }

    /// Of a variable byte integer.
    private static func lengthBytes(_ value: Int) -> Int {
        switch value {
        case ..<128: 1
        case ..<16_384: 2
        case ..<2_097_152: 3
        default: 4
        }
    }
}
