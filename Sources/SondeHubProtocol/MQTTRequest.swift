/// A packet of MQTT 3.1.1 that a subscriber with QoS 0 sends.
///
/// Source: OASIS, MQTT Version 3.1.1, chapter 3.
public enum MQTTRequest: Equatable, Sendable {
    /// CONNECT: a new session without a user, a password and a will. `keepAliveSeconds` is the longest time between two
    /// packets of ours.
    case connect(clientID: String, keepAliveSeconds: UInt16)
    /// SUBSCRIBE with QoS 0.
    case subscribe(id: UInt16, topics: [String])
    /// PINGREQ.
    case ping
    /// DISCONNECT.
    case disconnect

    private static let cleanSession: UInt8 = 0b10
    /// MQTT 3.1.1.
    private static let protocolLevel: UInt8 = 4

    public var bytes: [UInt8] {
        switch self {
        case .connect(let clientID, let keepAliveSeconds):
            let fixed = [Self.protocolLevel, Self.cleanSession]
            return Self.packet(
                0x10, Self.text("MQTT") + fixed + Self.number(keepAliveSeconds) + Self.text(clientID))
        case .subscribe(let id, let topics):
            return Self.packet(0x82, Self.number(id) + topics.flatMap { Self.text($0) + [0] })
        case .ping: return Self.packet(0xC0, [])
        case .disconnect: return Self.packet(0xE0, [])
        }
    }

    private static func packet(_ head: UInt8, _ body: [UInt8]) -> [UInt8] { [head] + length(body.count) + body }

    /// A packet's length: groups of seven bits, the lowest first; the highest bit says that another group follows.
    static func length(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = count
        repeat {
            let group = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest > 0 ? group | 0x80 : group)
        } while rest > 0
        return bytes
    }

    private static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// A text behind its length. Its length has two bytes, so a longer text is cut.
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(Int(UInt16.max)))
        return number(UInt16(bytes.count)) + bytes
    }
}
