import GatewayReports

/// Walks through a complete answer. Too few bytes are the error `cutShort`.
extension JSONCursor {
    /// Begins inside the object or list that an answer is.
    /// - Parameter name: of what was expected, for the error.
    /// - Throws: `status` if the answer is an error object instead, else `refused`.
    init(in answer: [UInt8], behind bracket: UInt8, _ name: String) throws(OnlineServiceError) {
        guard skip(0x20, answer.span) == bracket else {
            throw ErrorObject(answer).map { OnlineServiceError(.status, "the answer is an error: \($0.text)") }
                ?? OnlineServiceError(.refused, "no \(name) but: \(PrintableText.of(answer))")
        }
        position += 1
    }

    /// Steps into the object or array that begins here.
    /// - Returns: false if another value is here; the cursor then stands behind it.
    mutating func enter(_ bracket: UInt8, _ text: Span<UInt8>) throws(OnlineServiceError) -> Bool {
        guard position < text.count, text[position] == bracket else {
            try pass(text)
            return false
        }
        position += 1
        return true
    }

    /// The next member's key, with the cursor at its value; nil at the object's end.
    mutating func nextKey(_ text: Span<UInt8>) throws(OnlineServiceError) -> Range<Int>? {
        switch skip(UInt8(ascii: ","), text) {
        case UInt8(ascii: "}"):
            position += 1
            return nil
        case UInt8(ascii: "\""):
            guard let key = string(text), skip(UInt8(ascii: ":"), text) != nil else { throw .cutShort }
            return key
        case nil: throw .cutShort
        default: throw .malformed("a key was expected")
        }
    }

    /// Steps to the array's next element.
    /// - Returns: false at the array's end.
    mutating func nextElement(_ text: Span<UInt8>) throws(OnlineServiceError) -> Bool {
        switch skip(UInt8(ascii: ","), text) {
        case UInt8(ascii: "]"):
            position += 1
            return false
        case nil: throw .cutShort
        default: return true
        }
    }

    /// The number here, also if it stands in a string; nil for any other value.
    mutating func number(_ text: Span<UInt8>) throws(OnlineServiceError) -> Double? {
        guard let range = try word(text) else { return nil }
        return JSONNumber.parse(text.extracting(range))
    }

    /// The undecoded text of the string, number or word here; nil for an object or array. The cursor then stands behind
    /// the value.
    mutating func word(_ text: Span<UInt8>) throws(OnlineServiceError) -> Range<Int>? {
        guard position < text.count else { throw .cutShort }
        switch text[position] {
        case UInt8(ascii: "\""):
            guard let range = string(text) else { throw .cutShort }
            return range
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try pass(text)
            return nil
        default:
            guard let range = scalar(text) else { throw .cutShort }
            guard !range.isEmpty else { throw .malformed("a value is missing") }
            return range
        }
    }

    /// Steps over the value here.
    mutating func pass(_ text: Span<UInt8>) throws(OnlineServiceError) {
        let start = position
        guard skipValue(text) else { throw .cutShort }
        guard position > start else { throw .malformed("a value is missing") }
    }

    /// Whether a key or string, as it stands in the text, equals this name.
    static func isEqual(_ text: Span<UInt8>, _ range: Range<Int>, to name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for (offset, index) in range.enumerated() where text[index] != name.utf8Start[offset] { return false }
        return true
    }

    /// The decoded string, number or word here; nil for any other value.
    mutating func text(_ text: Span<UInt8>) throws(OnlineServiceError) -> String? {
        try word(text).flatMap { JSONCursor.isEqual(text, $0, to: "null") ? nil : JSONCursor.decoded(text, $0) }
    }

    /// Reads 1 or `true` as true, any other value as false.
    mutating func flag(_ text: Span<UInt8>) throws(OnlineServiceError) -> Bool {
        guard let range = try word(text) else { return false }
        return JSONCursor.isEqual(text, range, to: "true") || JSONNumber.parse(text.extracting(range)) == 1
    }
}
