/// A sonde's name in the one form used everywhere, SondeHub's, whatever the receiver prints.
///
/// Two serials are equal when their letters and digits are, upper-cased: `011-2-13333` and `011213333` are one sonde.
public struct SondeSerial: Hashable, Sendable, CustomStringConvertible {
    /// SondeHub's form, for example `V4210150`, `011-2-13333`, `23072942`.
    public let canonical: String
    private let key: String

    /// - Parameters:
    ///   - name: the name as the receiver, SondeHub or a user gives it, with whatever spaces, hyphens and case.
    ///   - type: decides the mapping: M10 and M20 get dashes (3-1-5), a DFM keeps the digits after the last dash, an RS41
    ///     is upper case without any. Where it is not known (`.other("")`, as in a command), the name's form decides.
    /// - Returns: nil when the name holds neither letter nor digit.
    public init?(name: String, type: SondeType) {
        let name = Self.trimmed(name)
        switch type {
        case .m10, .m20: canonical = Self.dashed(name) ?? name
        case .dfm: canonical = Self.digitsAfterLastDash(name) ?? name
        case .rs41, .rd41: canonical = Self.compact(name) ?? name
        case .pilot, .c50, .imet4: canonical = name
        case .other(""):
            canonical = Self.compact(name) ?? Self.dashed(name, digitsOnly: true) ?? Self.digitsOfDFM(name) ?? name
        case .other: canonical = name
        }
        key = Self.alphanumerics(canonical)
        guard !key.isEmpty else { return nil }
    }

    public var description: String { canonical }

    public static func == (left: SondeSerial, right: SondeSerial) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// `v421-0150` is `V4210150`; nil for what is no serial of an RS41.
    private static func compact(_ name: String) -> String? {
        let bytes = Array(name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map(upperCased))
        guard bytes.count == 8, bytes.allSatisfy(isAlphanumeric), !isDigit(bytes[0]),
            bytes.dropFirst().allSatisfy(isDigit)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `011213333` and `011-2-13333`, in SondeHub's form; nil for what is no serial of an M10 or M20.
    private static func dashed(_ name: String, digitsOnly: Bool = false) -> String? {
        let bytes = Array(name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map(upperCased))
        guard bytes.count == 9, bytes.allSatisfy(digitsOnly ? isDigit : isAlphanumeric) else { return nil }
        let parts = [bytes[0..<3], bytes[3..<4], bytes[4..<9]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    private static func digitsAfterLastDash(_ name: String) -> String? {
        guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let tail = name.utf8[name.utf8.index(after: dash)...]
        guard !tail.isEmpty, tail.allSatisfy(isDigit) else { return nil }
        return String(Substring(tail))
    }

    /// `D17-23072942`, as a receiver prints a DFM's.
    private static func digitsOfDFM(_ name: String) -> String? {
        guard let first = name.utf8.first, upperCased(first) == UInt8(ascii: "D"),
            let dash = name.utf8.firstIndex(of: UInt8(ascii: "-")),
            name.utf8[..<dash].dropFirst().allSatisfy(isDigit)
        else { return nil }
        return digitsAfterLastDash(name)
    }

    private static func trimmed(_ name: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
        let start = name.utf8.firstIndex { !isSpace($0) } ?? name.utf8.endIndex
        let end = name.utf8.lastIndex { !isSpace($0) }.map { name.utf8.index(after: $0) } ?? start
        return String(Substring(name.utf8[start..<end]))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

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
