/// The framing of GDL 90: flag, message, checksum, flag. Flag and escape bytes within are escaped.
package enum GDL90Frame {
    static let flag: UInt8 = 0x7E
    private static let escape: UInt8 = 0x7D

    /// The ICD's table: CRC-16-CCITT with start value 0.
    private static let table: [UInt16] = (0..<256).map { (index: UInt16) in
        (0..<8).reduce(index << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021 }
    }

    package static func checksum(of message: [UInt8]) -> UInt16 {
        message.reduce(0) { crc, byte in table[Int(crc >> 8)] ^ (crc << 8) ^ UInt16(byte) }
    }

    package static func framed(_ message: [UInt8]) -> [UInt8] {
        let crc = checksum(of: message)
        var bytes = [flag]
        for byte in message + [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)] {
            if byte == flag || byte == escape {
                bytes += [escape, byte ^ 0x20]
            } else {
                bytes.append(byte)
            }
        }
        return bytes + [flag]
    }

    /// - Parameter frame: the bytes between two flags.
    /// - Returns: the message; nil if the checksum is wrong.
    static func message(in frame: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in frame {
            if byte == escape, !isEscaped {
                isEscaped = true
            } else {
                bytes.append(isEscaped ? byte ^ 0x20 : byte)
                isEscaped = false
            }
        }
        guard !isEscaped, bytes.count > 2 else { return nil }
        let message = Array(bytes.dropLast(2))
        let crc = checksum(of: message)
        return bytes.suffix(2).elementsEqual([UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)])
            ? message : nil
    }
}
