/// JSON strictly by RFC 8259, parsed without the gateway's code.
enum StrictJSON {
    struct Member {
        var key: String
        var value: StrictJSON
    }

    case null
    case bool(Bool)
    /// The number's text.
    case number(String)
    case string(String)
    case array([StrictJSON])
    case object([Member])

    /// Nil if the bytes are not JSON.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// Whether a key occurs twice in one object. Two parsers could read it differently.
    var hasDoubleKeys: Bool {
        switch self {
        case .null, .bool, .number, .string: false
        case .array(let values): values.contains(where: \.hasDoubleKeys)
        case .object(let members):
            Set(members.map(\.key)).count < members.count || members.contains { $0.value.hasDoubleKeys }
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return next == nil
            }
        }

        private mutating func skipSpace() {
            while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { place += 1 }
        }

        private mutating func take(_ text: String) -> Bool {
            guard bytes[place...].starts(with: text.utf8) else { return false }
            place += text.utf8.count
            return true
        }

        mutating func value(depth: Int) -> StrictJSON? {
            guard depth < 600 else { return nil }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return object(depth)
            case UInt8(ascii: "["): return array(depth)
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
            case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
            case UInt8(ascii: "n"): return take("null") ? .null : nil
            default: return number().map { .number($0) }
            }
        }

        private mutating func object(_ depth: Int) -> StrictJSON? {
            place += 1
            var members: [Member] = []
            skipSpace()
            if take("}") { return .object([]) }
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\""), let key = string() else { return nil }
                skipSpace()
                guard take(":"), let value = value(depth: depth + 1) else { return nil }
                members.append(Member(key: key, value: value))
                skipSpace()
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func array(_ depth: Int) -> StrictJSON? {
            place += 1
            var values: [StrictJSON] = []
            skipSpace()
            if take("]") { return .array([]) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
                skipSpace()
            } while take(",")
            return take("]") ? .array(values) : nil
        }

        private mutating func digits() -> Bool {
            let start = place
            while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
            return place > start
        }

        private mutating func number() -> String? {
            let start = place
            _ = take("-")
            if !take("0") {
                guard digits() else { return nil }
            }
            if take(".") {
                guard digits() else { return nil }
            }
            if take("e") || take("E") {
                if !take("+") { _ = take("-") }
                guard digits() else { return nil }
            }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }

        private mutating func string() -> String? {
            place += 1
            var units: [UInt16] = []
            var plain: [UInt8] = []
            var text = ""
            func flushed(_ units: [UInt16]) -> String { String(decoding: units, as: UTF16.self) }
            while let byte = next {
                place += 1
                if byte == UInt8(ascii: "\\") {
                    guard let unit = escape() else { return nil }
                    guard let more = String(validating: plain, as: UTF8.self) else { return nil }
                    text += more
                    plain = []
                    units.append(unit)
                    continue
                }
                if !units.isEmpty {
                    text += flushed(units)
                    units = []
                }
                if byte == UInt8(ascii: "\"") {
                    guard let more = String(validating: plain, as: UTF8.self) else { return nil }
                    return text + more
                }
                guard byte >= 0x20 else { return nil }
                plain.append(byte)
            }
            return nil
        }

        private mutating func escape() -> UInt16? {
            guard let byte = next else { return nil }
            place += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
            case UInt8(ascii: "b"): return 8
            case UInt8(ascii: "f"): return 12
            case UInt8(ascii: "n"): return 10
            case UInt8(ascii: "r"): return 13
            case UInt8(ascii: "t"): return 9
            case UInt8(ascii: "u"):
                guard place + 4 <= bytes.count else { return nil }
                let hex = String(decoding: bytes[place..<place + 4], as: UTF8.self)
                guard hex.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
                place += 4
                return UInt16(hex, radix: 16)
            default: return nil
            }
        }
    }
}
