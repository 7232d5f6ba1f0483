/// Writes one JSON object, keys in the order given, numbers with the digits they deserve.
///
/// Foundation's encoder neither keeps an order nor rounds, and a reader of `mosquitto_sub` sees both.
struct JSONText: Sendable {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    init() {
        bytes.reserveCapacity(512)
    }

    /// The object closed.
    var object: [UInt8] { bytes + [UInt8(ascii: "}")] }

    mutating func field(_ key: String, _ value: String?) {
        name(key)
        if let value { string(value) } else { null() }
    }

    mutating func field(_ key: String, _ value: Int?) {
        name(key)
        if let value { bytes.append(contentsOf: String(value).utf8) } else { null() }
    }

    mutating func field(_ key: String, _ value: Bool?) {
        name(key)
        if let value { bytes.append(contentsOf: (value ? "true" : "false").utf8) } else { null() }
    }

    /// - Parameter decimals: digits after the point at most; trailing zeros are dropped. Not finite is null.
    mutating func field(_ key: String, _ value: Double?, decimals: Int) {
        name(key)
        if let value { number(value, decimals: decimals) } else { null() }
    }

    mutating func field(_ key: String, _ value: WallTime?) {
        field(key, value?.iso8601)
    }

    mutating func field(_ key: String, _ value: JSONValue) {
        name(key)
        any(value)
    }

    /// A nested object, built by `body`.
    mutating func field(_ key: String, _ body: (inout JSONText) -> Void) {
        name(key)
        var inner = JSONText()
        body(&inner)
        bytes.append(contentsOf: inner.object)
    }

    private mutating func name(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        string(key)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func null() { bytes.append(contentsOf: "null".utf8) }

    private mutating func number(_ value: Double, decimals: Int) {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard let units = Int64(exactly: scaled) else { return null() }
        let magnitude = units.magnitude
        let divisor = UInt64(scale)
        if units < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(contentsOf: String(magnitude / divisor).utf8)
        let fraction = String(magnitude % divisor)
        guard decimals > 0, fraction != "0" else { return }
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: decimals - fraction.utf8.count))
        bytes.append(contentsOf: fraction.utf8)
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }

    private mutating func any(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): if number.isFinite { bytes.append(contentsOf: "\(number)".utf8) } else { null() }
        case .string(let text): string(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                any(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            var inner = JSONText()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { inner.field(key, value) }
            bytes.append(contentsOf: inner.object)
        }
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
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
        bytes.append(UInt8(ascii: "\""))
    }
}
