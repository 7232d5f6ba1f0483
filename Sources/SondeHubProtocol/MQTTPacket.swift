/// A packet of MQTT 3.1.1 that a server sends to a subscriber with QoS 0.
///
/// Source: OASIS, MQTT Version 3.1.1, chapter 3.
public enum MQTTPacket: Equatable, Sendable {
    /// CONNACK; nil if the server accepts the session.
    case connected(MQTTRefusal?)
    /// SUBACK: for each topic of the SUBSCRIBE with this id whether it was accepted.
    case subscribed(id: UInt16, accepted: [Bool])
    /// PUBLISH with QoS 0.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// PINGRESP.
    case pong

    /// - Parameters:
    ///   - head: the first byte, which ``check(head:)`` accepts.
    ///   - body: the bytes after the length.
    init(head: UInt8, body: [UInt8]) throws(MQTTPacketFault) {
        switch head {
        case Head.connected: self = try Self.connected(body)
        case Head.subscribed: self = try Self.subscribed(body)
        case Head.pong:
            guard body.isEmpty else { throw .wrongLength }
            self = .pong
        default: self = try Self.message(body, isRetained: head & Head.retained != 0)
        }
    }

    /// The first bytes of the packets, with their reserved flags.
    private enum Head {
        static let connected: UInt8 = 0x20
        static let message: UInt8 = 0x30
        static let subscribed: UInt8 = 0x90
        static let pong: UInt8 = 0xD0
        /// The flags of a message.
        static let retained: UInt8 = 0b0001
        static let qos: UInt8 = 0b0110
        static let type: UInt8 = 0xF0
    }

    /// Refuses a packet by its first byte, before anything of it is kept.
    static func check(head: UInt8) throws(MQTTPacketFault) {
        if head & Head.type == Head.message, head & Head.qos != 0 { throw .acknowledgementWanted }
        switch head {
        case Head.connected, Head.subscribed, Head.pong, Head.message, Head.message | Head.retained: break
        default: throw .unexpectedType(head)
        }
    }

    /// The flag of a kept session does not matter: we ask for a new one.
    private static func connected(_ body: [UInt8]) throws(MQTTPacketFault) -> MQTTPacket {
        guard body.count == 2, let code = body.last else { throw .wrongLength }
        if code == 0 { return .connected(nil) }
        guard let refusal = MQTTRefusal(rawValue: code) else { throw .unknownCode(code) }
        return .connected(refusal)
    }

    private static func subscribed(_ body: [UInt8]) throws(MQTTPacketFault) -> MQTTPacket {
        var rest = body[...]
        guard let id = rest.popUInt16(), !rest.isEmpty else { throw .wrongLength }
        var accepted: [Bool] = []
        for code in rest {
            switch code {
            case 0, 1, 2: accepted.append(true)
            case 0x80: accepted.append(false)
            default: throw .unknownCode(code)
            }
        }
        return .subscribed(id: id, accepted: accepted)
    }

    private static func message(_ body: [UInt8], isRetained: Bool) throws(MQTTPacketFault) -> MQTTPacket {
        var rest = body[...]
        guard let length = rest.popUInt16(), rest.count >= Int(length) else { throw .wrongLength }
        let bytes = rest.prefix(Int(length))
        guard !bytes.isEmpty, !bytes.contains(where: { "\0#+".utf8.contains($0) }),
            let topic = String(validating: bytes, as: UTF8.self)
        else { throw .badTopic }
        return .message(topic: topic, payload: Array(rest.dropFirst(Int(length))), isRetained: isRetained)
    }
}

/// Why a server refuses a session, by the code of its CONNACK.
public enum MQTTRefusal: UInt8, Equatable, Sendable {
    case version = 1
    case clientID = 2
    case unavailable = 3
    case login = 4
    case notAuthorized = 5
}

extension ArraySlice<UInt8> {
    /// Takes a number of two bytes, the higher first.
    fileprivate mutating func popUInt16() -> UInt16? {
        guard count >= 2, let high = popFirst(), let low = popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }
}
