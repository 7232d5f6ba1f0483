/// Reads a frame's fields, separated by `/`, in order and without copying. Behind the last field all fields are empty.
struct Fields: ~Escapable {
    private let bytes: Span<UInt8>
    /// Where the next field starts.
    private var offset = 0
    /// Whether a number was expected and the field held none. That makes the whole frame invalid.
    private(set) var hasMalformedNumber = false

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The field's value; NaN if the field is no plain decimal.
    @inline(always)
    mutating func number() -> Double {
        let end = fieldEnd
        let value = PlainDecimal.parse(bytes.extracting(offset..<end))
        offset = end &+ 1
        hasMalformedNumber = hasMalformedNumber || value == nil
        return value ?? .nan
    }

    /// The field as a whole number; nil if it is outside `range` or has a fraction.
    @inline(always)
    mutating func integer(in range: ClosedRange<Int>) -> Int? {
        let value = number()
        guard value >= Double(range.lowerBound), value <= Double(range.upperBound) else { return nil }
        let whole = Int(value)
        return Double(whole) == value ? whole : nil
    }

    /// The field as 0 or 1; nil for any other value.
    @inline(always)
    mutating func flag() -> Bool? { integer(in: 0...1).map { $0 == 1 } }

    /// `count` fields with the slashes between them. Swift stores up to 15 bytes without an allocation.
    @inline(always)
    mutating func string(fields count: Int = 1) -> String {
        let start = offset
        skip(count)
        return String(copying: UTF8Span(unchecked: bytes.extracting(start..<(offset &- 1)), isKnownASCII: true))
    }

    @inline(always)
    mutating func skip(_ count: Int) {
        for _ in 0..<count { offset = fieldEnd &+ 1 }
    }

    /// The position of the next slash, or of the frame's end.
    @inline(always)
    private var fieldEnd: Int {
        var end = min(offset, bytes.count)
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end &+= 1 }
        return end
    }
}
