/// Any decoded JSON value, for example of a command's body.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    /// A whole number beyond 64 bits. A double would lose its last digits.
    case digits(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// - Returns: nil if the text is no JSON or holds a key twice.
    public init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.value(of: bytes) else { return nil }
        self = value
    }

    /// The value as a double, for an integer too; nil for anything else.
    public var asDouble: Double? {
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
