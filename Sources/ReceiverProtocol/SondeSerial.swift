/// A sonde's name in the one form used everywhere, SondeHub's, whatever the receiver prints.
///
/// Two serials are equal when their letters and digits are, upper-cased: `011-2-13333` and `011213333` are one sonde.
public struct SondeSerial: Hashable, Sendable, CustomStringConvertible {
    /// SondeHub's form, for example `V4210150`, `011-2-13333`, `23072942`.
    public let canonical: String
    private let key: String

    /// - Parameters:
    ///   - name: the name as the receiver or SondeHub gives it.
    ///   - type: decides the mapping: M10 and M20 get dashes (3-1-5), a DFM keeps the digits after the last dash.
    /// - Returns: nil when the name holds neither letter nor digit.
    public init?(name: String, type: SondeType) {
        switch type {
        case .m10, .m20: canonical = Self.dashed(name)
        case .dfm: canonical = Self.digitsAfterLastDash(name)
        case .rs41, .rd41, .pilot, .c50, .imet4, .other: canonical = name
        }
        key = Self.alphanumerics(canonical)
        guard !key.isEmpty else { return nil }
    }

    public var description: String { canonical }

    public static func == (left: SondeSerial, right: SondeSerial) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    private static func dashed(_ name: String) -> String {
        let bytes = Array(name.utf8)
        guard bytes.count == 9, bytes.allSatisfy(isAlphanumeric) else { return name }
        let parts = [bytes[0..<3], bytes[3..<4], bytes[4..<9]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    private static func digitsAfterLastDash(_ name: String) -> String {
        guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")) else { return name }
        let tail = name.utf8[name.utf8.index(after: dash)...]
        guard !tail.isEmpty, tail.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return name }
        return String(Substring(tail))
    }

    private static func alphanumerics(_ text: String) -> String {
        String(decoding: text.utf8.lazy.filter(isAlphanumeric).map(upperCased), as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func upperCased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte - 32 : byte
    }
}
