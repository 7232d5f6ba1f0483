public import FlightMath

/// Writes one JSON object with its keys in the given order and its numbers rounded.
///
/// Foundation's encoder does neither, and both matter to a person who reads `mosquitto_sub`.
public struct JSONText: Sendable {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isEmpty = true

    public init() {
        bytes.reserveCapacity(640)
    }

    /// The complete object.
    public var object: [UInt8] {
        var closed = bytes
        closed.append(UInt8(ascii: "}"))
        return closed
    }

    public mutating func field(_ key: String, _ value: String?) {
        name(key)
        if let value { string(value) } else { null() }
    }

    public mutating func field(_ key: String, _ value: Int?) {
        name(key)
        if let value { digits(value.magnitude, isNegative: value < 0) } else { null() }
    }

    public mutating func field(_ key: String, _ value: Bool?) {
        name(key)
        if let value { bytes.append(contentsOf: (value ? "true" : "false").utf8) } else { null() }
    }

    /// Always writes a decimal point. If a field changed between integer and float, a plain InfluxDB writer would lose
    /// rows.
    /// - Parameter decimals: the most digits after the point, at least one. Trailing zeros are dropped. A number that
    ///   is not finite becomes null.
    public mutating func field(_ key: String, _ value: Double?, decimals: Int) {
        name(key)
        if let value { number(value, decimals: max(1, decimals)) } else { null() }
    }

    public mutating func field(_ key: String, _ value: WallTime?) {
        name(key)
        guard let value else { return null() }
        bytes.append(UInt8(ascii: "\""))
        value.appendISO8601(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func field(_ key: String, _ value: JSONValue) {
        name(key)
        any(value)
    }

    /// A nested object, built by `body`.
    public mutating func field(_ key: String, _ body: (inout JSONText) -> Void) {
        name(key)
        enclose(in: "{", "}", body)
    }

    /// A nested object; null without a value.
    public mutating func field<Value>(_ key: String, _ value: Value?, body: (inout JSONText, Value) -> Void) {
        guard let value else { return field(key, nil as String?) }
        field(key) { body(&$0, value) }
    }

    /// An array, each element written by `body` with ``object(_:)`` or ``values(_:)``.
    public mutating func array<Element>(
        _ key: String, _ elements: ArraySlice<Element>, body: (inout JSONText, Element) -> Void
    ) {
        name(key)
        enclose(in: "[", "]") { for element in elements { body(&$0, element) } }
    }

    /// The next element of an array, an object.
    public mutating func object(_ body: (inout JSONText) -> Void) {
        separate()
        enclose(in: "{", "}", body)
    }

    /// The next element of an array, an object; null without a value.
    public mutating func element<Value>(_ value: Value?, body: (inout JSONText, Value) -> Void) {
        guard let value else {
            separate()
            return null()
        }
        object { body(&$0, value) }
    }

    /// The next element of an array, an array of single values.
    public mutating func values(_ body: (inout JSONText) -> Void) {
        separate()
        enclose(in: "[", "]", body)
    }

    /// The next element of an array.
    public mutating func value(_ value: Int) {
        separate()
        digits(value.magnitude, isNegative: value < 0)
    }

    /// The next element of an array, written as by ``field(_:_:decimals:)``.
    public mutating func value(_ value: Double, decimals: Int) {
        separate()
        number(value, decimals: max(1, decimals))
    }

    private mutating func enclose(
        in opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONText) -> Void
    ) {
        bytes.append(UInt8(ascii: opening))
        isEmpty = true
        body(&self)
        bytes.append(UInt8(ascii: closing))
        isEmpty = false
    }

    private mutating func separate() {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
    }

    /// A nested object of counts, sorted by name.
    public mutating func field(_ key: String, counts: [String: Int]) {
        field(key) { inner in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) { inner.field(name, count) }
        }
    }

    private mutating func name(_ key: String) {
        separate()
        string(key)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func null() { bytes.append(contentsOf: "null".utf8) }

    private mutating func digits(_ magnitude: UInt, isNegative: Bool) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        bytes.append(digits: magnitude)
    }

    private mutating func number(_ value: Double, decimals: Int) {
        guard let units = [UInt8].units(of: value, decimals: decimals) else { return null() }
        bytes.append(units: units, decimals: decimals)
        // Keep at least one digit after the point.
        let shortest = bytes.count - decimals + 1
        while bytes.count > shortest, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }

    private mutating func any(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): if number.isFinite { bytes.append(contentsOf: "\(number)".utf8) } else { null() }
        case .digits(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): string(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                any(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            isEmpty = true
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { field(key, value) }
            bytes.append(UInt8(ascii: "}"))
            isEmpty = false
        }
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // The fast path: nearly all texts are keys or names, with nothing to escape.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { storage in
            guard storage.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
            else { return false }
            bytes.append(contentsOf: storage)
            return true
        }
        if isPlain != true { escaped(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                bytes.append(contentsOf: "\\u00\(hex.utf8.count == 1 ? "0" : "")\(hex)".utf8)
            default: bytes.append(byte)
            }
        }
    }
}
