/// The layout of a frame. The exact token count decides it, never the version field.
enum FrameLayout: Equatable {
    case noSonde
    case telemetryFirmware2
    case telemetryFirmware3
    case nameOnly
    /// `callsignTokens` is 1 plus the number of slashes in the callsign. `isUSB` adds four fields behind the version.
    case configuration(callsignTokens: Int, isUSB: Bool)
    case rawPacket

    /// The tokens of the shortest type 3: type digit, sonde type, frequency, settings, version, `o`.
    static let configurationTokens = 5 + ReceiverSetting.always.count
    private static let usbExtraTokens = ReceiverSetting.usbOnly.count

    /// Whether a whole frame of this type digit may have `count` tokens. The parser then checks more closely.
    static func isLegal(type: UInt8, count: Int) -> Bool {
        switch type {
        case UInt8(ascii: "0"): count == 9
        case UInt8(ascii: "1"): count == 20 || count == 21
        case UInt8(ascii: "2"): count == 11
        case UInt8(ascii: "3"): count >= configurationTokens
        case UInt8(ascii: "4"): count >= 2
        default: false
        }
    }

    /// - Throws: the reason why no layout fits the bytes.
    init(of bytes: Span<UInt8>) throws(FrameRejection) {
        guard let count = Self.tokenCount(of: bytes) else { throw .notPrintable }
        guard bytes.count > 1, bytes[1] == UInt8(ascii: "/") else { throw .garbage }
        switch bytes[0] {
        case UInt8(ascii: "0") where count == 9: self = .noSonde
        case UInt8(ascii: "1") where count == 20: self = .telemetryFirmware2
        case UInt8(ascii: "1") where count == 21: self = .telemetryFirmware3
        case UInt8(ascii: "2") where count == 11: self = .nameOnly
        case UInt8(ascii: "3") where count >= Self.configurationTokens:
            let extra = count - Self.configurationTokens
            let isUSB = extra >= Self.usbExtraTokens && Self.endsLikeUSB(bytes)
            self = .configuration(callsignTokens: 1 + extra - (isUSB ? Self.usbExtraTokens : 0), isUSB: isUSB)
        case UInt8(ascii: "4") where count >= 2: self = .rawPacket
        case UInt8(ascii: "0")...UInt8(ascii: "4"): throw .tokenCount
        case UInt8(ascii: "5")...UInt8(ascii: "9"): throw .unknownType
        default: throw .garbage
        }
        guard bytes[bytes.count - 1] == UInt8(ascii: "o"), bytes[bytes.count - 2] == UInt8(ascii: "/") else {
            throw .unfinished
        }
    }

    /// Nil if a byte is outside printable ASCII.
    private static func tokenCount(of bytes: Span<UInt8>) -> Int? {
        var count = 1
        var isPrintable = true
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "/") { count &+= 1 }
            isPrintable = isPrintable && 0x20...0x7e ~= bytes[index]
        }
        return isPrintable ? count : nil
    }

    /// Whether the frame has the USB form. A callsign with four slashes gives the same token count. But only the USB
    /// form ends in four whole numbers; the other form ends in its version (`3.10`).
    private static func endsLikeUSB(_ bytes: Span<UInt8>) -> Bool {
        var slashes = 0
        for index in bytes.indices.reversed() {
            if bytes[index] == UInt8(ascii: "/") { slashes += 1 }
            if slashes > usbExtraTokens { break }
            if bytes[index] == UInt8(ascii: ".") { return false }
        }
        return true
    }
}
