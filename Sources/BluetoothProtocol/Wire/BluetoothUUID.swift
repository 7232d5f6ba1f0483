/// The 128-bit identifier of a service or characteristic. A 16-bit short form stands for the Bluetooth base UUID with
/// these bits.
public struct BluetoothUUID: Hashable, Sendable, LosslessStringConvertible {
    /// The sixteen bytes in the order of the air: the text's last pair first.
    let bytes: [UInt8]

    private static let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0, 0, 0, 0]

    init(_ short: UInt16) {
        bytes = Self.base[..<12] + [UInt8](littleEndian: short) + [0, 0]
    }

    /// Decodes two or sixteen bytes from the air; nil for any other count.
    init?(wire: some Collection<UInt8>) {
        switch wire.count {
        case 2: bytes = Self.base[..<12] + Array(wire) + [0, 0]
        case 16: bytes = Array(wire)
        default: return nil
        }
    }

    /// Reads `6E400001-B5A3-F393-E0A9-E50E24DCCA9E`, with or without dashes; nil for any other text.
    public init?(_ text: String) {
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else { return nil }
        var rest = digits[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.bytes = bytes.reversed()
    }

    public var description: String {
        var text = ""
        for (index, byte) in bytes.reversed().enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}
