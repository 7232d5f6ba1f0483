/// A sonde's name in SondeHub's form. The whole gateway uses this form, whatever form the receiver or a person writes.
///
/// | type | written | canonical |
/// | --- | --- | --- |
/// | RS41, RD41 | `V4210150`, `v421 0150` | `V4210150` |
/// | M10, M20 | `011213333`, `011-2-13333` | `011-2-13333` |
/// | M10, M20, not nine digits | `ME9A03859` | the same |
/// | DFM | `D17-23072942`, `23072942` | `23072942` |
/// | unknown | any of these | found by the name's shape |
/// | any other | any name | the same |
///
/// Two serials are equal if their letters and digits are equal; upper and lower case do not matter.
public struct SondeSerial: Hashable, Codable, Sendable, CustomStringConvertible {
    /// SondeHub's form, for example `V4210150`, `011-2-13333`, `23072942`.
    public let canonical: String
    private let key: String

    /// - Parameters:
    ///   - name: the name from the receiver, SondeHub or a person.
    ///   - type: decides the mapping. Pass `.other("")` if the type is unknown.
    /// - Returns: nil if the name has neither a letter nor a digit, or is not ``PlainText``.
    public init?(name: String, type: SondeType) {
        guard PlainText.isPlain(name) else { return nil }
        canonical = type == .other("") ? Self.byShape(name) : Self.canonical(name, type.row?.serial ?? .asWritten)
        key = Self.alphanumerics(canonical)
        guard !key.isEmpty else { return nil }
    }

    /// How a type's serials become SondeHub's.
    enum Form {
        case asWritten
        /// Only letters and digits, in capitals.
        case plain
        /// Nine digits in groups: `011-2-13333`.
        case dashed
        /// The digits behind the last dash.
        case digits
    }

    private static func canonical(_ name: String, _ form: Form) -> String {
        switch form {
        case .asWritten: name
        case .plain: alphanumerics(name)
        case .dashed: dashed(name) ?? name
        case .digits: digitsAfterLastDash(name) ?? name
        }
    }

    /// What a person's text must be.
    public static let accepted = "a serial such as V4210150: 2 to 32 letters, digits, dashes, one digit at least"

    /// - Parameter text: from a person. It may be a mistake, such as a frequency or a place.
    /// - Returns: nil if no sonde is named so.
    public init?(typed text: String) {
        let isWord = text.utf8.allSatisfy { Self.isAlphanumeric($0) || "-_/ ".utf8.contains($0) }
        guard (2...32).contains(text.utf8.count), isWord, text.utf8.contains(where: Self.isDigit) else { return nil }
        self.init(name: text, type: .other(""))
    }

    public var description: String { canonical }

    /// - Throws: if the text is no serial.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let serial = SondeSerial(name: try value.decode(String.self), type: .other("")) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no serial")
        }
        self = serial
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(canonical)
    }

    public static func == (left: SondeSerial, right: SondeSerial) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The name's nine digits in groups of 3, 1 and 5; nil if its letters and digits are not exactly nine digits.
    private static func dashed(_ name: String) -> String? {
        let bytes = Array(alphanumerics(name).utf8)
        guard bytes.count == 9, bytes.allSatisfy(isDigit) else { return nil }
        let parts = [bytes[0..<3], bytes[3..<4], bytes[4..<9]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// Nil if the name has no dash, or if anything but digits follows its last dash.
    private static func digitsAfterLastDash(_ name: String) -> String? {
        guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let tail = name.utf8[name.utf8.index(after: dash)...]
        guard !tail.isEmpty, tail.allSatisfy(isDigit) else { return nil }
        return String(Substring(tail))
    }

    /// The canonical form of a name without a type. A letter and seven digits are an RS41. Nine digits are an M10 or
    /// M20. A D with a dash and at least six digits behind the dash is a DFM.
    private static func byShape(_ name: String) -> String {
        let plain = Array(alphanumerics(name).utf8)
        if plain.count == 8, let first = plain.first, !isDigit(first), plain.dropFirst().allSatisfy(isDigit) {
            return String(decoding: plain, as: UTF8.self)
        }
        if let dashed = dashed(name) { return dashed }
        if plain.first == UInt8(ascii: "D"), let digits = digitsAfterLastDash(name), digits.utf8.count >= 6 {
            return digits
        }
        return name
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
