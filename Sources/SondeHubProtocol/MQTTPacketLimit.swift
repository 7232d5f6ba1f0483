/// Follows the lengths of MQTT packets in a stream of bytes, to refuse a long one by its head. libmosquitto would
/// allocate whatever length the head names, up to 256 MB.
///
/// A packet's head is one byte of type, then the length of the rest in groups of seven bits, the lowest first. The highest
/// bit says that another group follows; there are at most four.
public struct MQTTPacketLimit: Sendable {
    /// The longest rest of a packet, bytes.
    public static let bytes = 65_536

    /// Why a stream must end.
    public enum Fault: Sendable {
        case tooLong
        /// A message that wants an acknowledgement (QoS 1 or 2). We subscribe with QoS 0, and libmosquitto would keep
        /// each such message until the session ends.
        case acknowledged
    }

    private enum Place {
        case type
        case length(groups: Int, value: Int)
        case rest(Int)
    }

    private var place = Place.type

    public init() {}

    /// - Returns: the fault of a packet; nil if there is none.
    public mutating func fault(in bytes: some RandomAccessCollection<UInt8>) -> Fault? {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch place {
            case .type:
                // PUBLISH with QoS 1 or 2.
                if bytes[index] >> 4 == 3, bytes[index] & 0b110 != 0 { return .acknowledged }
                index = bytes.index(after: index)
                place = .length(groups: 0, value: 0)
            case .length(let groups, let value):
                let byte = bytes[index]
                index = bytes.index(after: index)
                let sum = value | Int(byte & 0x7f) << (7 * groups)
                if byte & 0x80 != 0 {
                    guard groups < 3 else { return .tooLong }
                    place = .length(groups: groups + 1, value: sum)
                } else {
                    guard sum <= Self.bytes else { return .tooLong }
                    place = sum == 0 ? .type : .rest(sum)
                }
            case .rest(let count):
                let skipped = min(count, bytes.distance(from: index, to: bytes.endIndex))
                index = bytes.index(index, offsetBy: skipped)
                place = skipped == count ? .type : .rest(count - skipped)
            }
        }
        return nil
    }
}
