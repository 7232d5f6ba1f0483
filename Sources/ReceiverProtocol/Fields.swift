/// Reads a frame's `/`-separated fields one after the other, without copying; behind the last one all are empty.
struct Fields: ~Escapable {
    private let bytes: Span<UInt8>
    /// Where the next field starts.
    private var offset = 0
    /// A number was asked for where none stood, which spoils the whole frame.
    private(set) var hasMalformedNumber = false

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The field's value; not a number when it is no plain decimal.
    @inline(always)
    mutating func number() -> Double {
        let end = fieldEnd
        let value = PlainDecimal.parse(bytes.extracting(offset..<end))
        offset = end &+ 1
        hasMalformedNumber = hasMalformedNumber || value == nil
        return value ?? .nan
    }

    /// A whole number in `range`, nil when it is out of range or has a fraction.
    @inline(always)
    mutating func integer(in range: ClosedRange<Int>) -> Int? {
        let value = number()
        guard value >= Double(range.lowerBound), value <= Double(range.upperBound) else { return nil }
        let whole = Int(value)
        return Double(whole) == value ? whole : nil
    }

    /// 0 or 1, nil when it is anything else.
    @inline(always)
    mutating func flag() -> Bool? { integer(in: 0...1).map { $0 == 1 } }

    /// `count` fields with the slashes between them. Up to 15 bytes stay inside the string value.
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

    /// Where the next slash or the frame's end is.
    @inline(always)
    private var fieldEnd: Int {
        var end = min(offset, bytes.count)
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end &+= 1 }
        return end
    }
}
