import Gateway

extension OutgoingMessage {
    /// Size of the message's PUBLISH packet, in bytes.
    func packetBytes(_ version: MQTTVersion) -> Int {
        var rest = 2 + topic.utf8.count + payload.count + (qos > 0 ? 2 : 0)
        if version == .v5 {
            let properties = (expirySeconds == nil ? 0 : 5) + (correlationData.map { 3 + $0.count } ?? 0)
            rest += properties + Self.lengthBytes(properties)
        }
        return 1 + Self.lengthBytes(rest) + rest
    }

    /// Size of a variable byte integer, in bytes.
    private static func lengthBytes(_ value: Int) -> Int {
        switch value {
        case ..<128: 1
        case ..<16_384: 2
        case ..<2_097_152: 3
        default: 4
        }
    }
}
