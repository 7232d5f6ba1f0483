/// Reads one JSON text in UTF-8, strictly by RFC 8259. It also refuses texts that programs read differently: a key
/// twice in an object, half a surrogate pair, a number beyond any double.
public struct JSONReader {
    public enum Fault: Error, Equatable {
        case notJSON
        case doubleKey(String)
    }

    /// The most nested brackets.
    private static let deepest = 32

    private let bytes: [UInt8]
    private var place = 0

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public static func value(of bytes: [UInt8]) throws(Fault) -> JSONValue {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.next == nil else { throw .notJSON }
        return value
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth < Self.deepest else { throw .notJSON }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth))
        case UInt8(ascii: "["): return .array(try array(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(_ depth: Int) throws(Fault) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        place += 1
        skipSpace()
        guard !skip("}") else { return members }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw .notJSON }
            let key = try string()
            skipSpace()
            guard skip(":") else { throw .notJSON }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: key) == nil else { throw .doubleKey(key) }
            skipSpace()
            if skip("}") { return members }
            guard skip(",") else { throw .notJSON }
        }
    }

    private mutating func array(_ depth: Int) throws(Fault) -> [JSONValue] {
        var values: [JSONValue] = []
        place += 1
        skipSpace()
        guard !skip("]") else { return values }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if skip("]") { return values }
            guard skip(",") else { throw .notJSON }
        }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { place += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        let word = "\(text)".utf8
        guard bytes.dropFirst(place).starts(with: word) else { throw .notJSON }
        place += word.count
        return value
    }
}

// MARK: - Numbers

extension JSONReader {
    private mutating func number() throws(Fault) -> JSONValue {
        let start = place
        _ = skip("-")
        if !skip("0") { try digits() }
        var isWhole = true
        if skip(".") {
            isWhole = false
            try digits()
        }
        if skip("e") || skip("E") {
            isWhole = false
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw .notJSON }
        if isWhole { return Int64(text).map { .integer($0) } ?? .digits(text) }
        return Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private mutating func digits() throws(Fault) {
        let start = place
        while let byte = next, 0x30...0x39 ~= byte { place += 1 }
        guard place > start else { throw .notJSON }
    }
}

// MARK: - Strings

extension JSONReader {
    private mutating func string() throws(Fault) -> String {
        var text: [UInt8] = []
        place += 1
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw .notJSON }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(Character(try escaped())).utf8)
            case 0..<0x20: throw .notJSON
            default: text.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func escaped() throws(Fault) -> Unicode.Scalar {
        guard let byte = next else { throw .notJSON }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw .notJSON
        }
    }

    private mutating func scalar() throws(Fault) -> Unicode.Scalar {
        let unit = try codeUnit()
        guard UTF16.isLeadSurrogate(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw .notJSON }
            return scalar
        }
        guard skip("\\"), skip("u") else { throw .notJSON }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw .notJSON }
        let value = 0x10000 + (UInt32(unit) & 0x3ff) << 10 + UInt32(trail) & 0x3ff
        guard let scalar = Unicode.Scalar(value) else { throw .notJSON }
        return scalar
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .notJSON }
            place += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
