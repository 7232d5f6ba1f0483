/// Puts the packets of an MQTT server together from bytes that come in any pieces.
///
/// A packet's head is one byte of type, then the length of the rest in groups of seven bits, the lowest first. The highest
/// bit says that another group follows; there are at most four.
public struct MQTTPacketReader: Sendable {
    /// The longest rest of a packet, bytes. A longer one is refused by its head.
    public static let longest = 65_536
    private static let mostLengthBytes = 4

    private enum Place {
        case head
        case length(head: UInt8, groups: Int, value: Int)
        case body(head: UInt8, length: Int)
    }

    private var place = Place.head
    /// The body so far. It grows with the bytes that come, not with the length that a head promises.
    private var body: [UInt8] = []

    public init() {}

    /// - Parameter bytes: the next bytes of the connection. They lose what this call reads.
    /// - Returns: the next packet; nil if all bytes are read and it is not complete.
    /// - Throws: why the connection must end. The reader is not usable afterwards.
    public mutating func next(in bytes: inout ArraySlice<UInt8>) throws(MQTTPacketFault) -> MQTTPacket? {
        while let byte = bytes.first {
            switch place {
            case .head:
                bytes.removeFirst()
                try MQTTPacket.check(head: byte)
                place = .length(head: byte, groups: 0, value: 0)
            case .length(let head, let groups, let value):
                bytes.removeFirst()
                let sum = value | Int(byte & 0x7F) << (7 * groups)
                guard byte & 0x80 == 0 else {
                    guard groups + 1 < Self.mostLengthBytes else { throw .tooLong }
                    place = .length(head: head, groups: groups + 1, value: sum)
                    continue
                }
                guard sum <= Self.longest else { throw .tooLong }
                if sum == 0 { return try complete(head) }
                place = .body(head: head, length: sum)
            case .body(let head, let length):
                let piece = bytes.prefix(length - body.count)
                body += piece
                bytes = bytes.dropFirst(piece.count)
                if body.count == length { return try complete(head) }
            }
        }
        return nil
    }

    private mutating func complete(_ head: UInt8) throws(MQTTPacketFault) -> MQTTPacket {
        place = .head
        defer { body = [] }
        return try MQTTPacket(head: head, body: body)
    }
}
