import FoundationEssentials

/// Any JSON, decoded: what a command's body holds before it is understood.
public enum JSONValue: Equatable, Sendable, Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    /// A whole number beyond 64 bits, up to 38 digits.
    case digits(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = Self.digits(container, beyond: number) ?? .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// What a double would lose the last digits of.
    private static func digits(_ container: any SingleValueDecodingContainer, beyond number: Double) -> JSONValue? {
        guard number.magnitude >= 0x1p63, number.magnitude < 1e38, let decimal = try? container.decode(Decimal.self)
        else { return nil }
        let text = decimal.description
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || 0x30...0x39 ~= $0 } ? .digits(text) : nil
    }

    /// The value as a double, for an integer too; nil for anything else.
    var asDouble: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .digits(let text): Double(text)
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
