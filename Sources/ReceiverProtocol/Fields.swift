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
        let eight = EightBytes(bytes, from: offset)
        let end = fieldEnd(after: eight)
        let value =
            end &- offset <= EightBytes.count
            ? eight.decimal(length: end &- offset) : PlainDecimal.parse(bytes.extracting(offset..<end))
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

    /// The field for comparison when it has at most eight bytes; else nil, and nothing is read.
    @inline(always)
    mutating func short() -> EightBytes? {
        let eight = EightBytes(bytes, from: offset)
        let length = fieldEnd(after: eight) &- offset
        guard length <= EightBytes.count else { return nil }
        offset &+= length &+ 1
        return eight.prefix(length)
    }

    @inline(always)
    mutating func skip(_ count: Int) {
        for _ in 0..<count { offset = fieldEnd(after: EightBytes(bytes, from: offset)) &+ 1 }
    }

    /// Where the next slash or the frame's end is; `eight` is what stands at the offset.
    @inline(always)
    private func fieldEnd(after eight: EightBytes) -> Int {
        var end = offset &+ eight.firstPosition(of: UInt8(ascii: "/"))
        guard end &- offset == EightBytes.count else { return end }
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end &+= 1 }
        return min(end, bytes.count)
    }
}
