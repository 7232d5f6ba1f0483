/// Why the bytes of a server are not the MQTT 3.1.1 that a subscriber with QoS 0 may get.
public enum MQTTPacketFault: Error, Equatable, Sendable {
    /// The packet is longer than ``MQTTPacketReader/longest``, or its length has more than four bytes.
    case tooLong
    /// A message that wants an acknowledgement (QoS 1 or 2), though we subscribe with QoS 0.
    case acknowledgementWanted
    /// A type that a server never sends to a subscriber with QoS 0. The value is the packet's first byte.
    case unexpectedType(UInt8)
    /// The packet is shorter or longer than its type says.
    case wrongLength
    /// A topic that is empty, has a wildcard or a zero, or is not UTF-8.
    case badTopic
    /// An acknowledgement with a code that MQTT 3.1.1 does not define.
    case unknownCode(UInt8)

    /// For people, as the end of a sentence.
    public var detail: String {
        switch self {
        case .tooLong: "the server sends a message of more than 64 kB"
        case .acknowledgementWanted: "the server wants acknowledgements that nobody asked for"
        case .unexpectedType: "the server breaks MQTT's rules: an unexpected packet"
        case .wrongLength: "the server breaks MQTT's rules: a packet with a wrong length"
        case .badTopic: "the server breaks MQTT's rules: a message without a valid topic"
        case .unknownCode: "the server breaks MQTT's rules: an unknown code"
        }
    }
}
