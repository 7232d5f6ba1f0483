/// The framing of GDL 90: flag, message, checksum, flag. Flag and escape bytes within are escaped.
package enum GDL90Frame {
    private static let flag: UInt8 = 0x7E
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
}
