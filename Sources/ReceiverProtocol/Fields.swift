/// Reads a frame's fields, separated by `/`, in order and without copying. Behind the last field all fields are empty.
struct Fields: ~Escapable {
    private let bytes: Span<UInt8>
    /// Where the next field starts.
    private var offset = 0
    /// Why the frame must be rejected: the first required field that could not be read; nil if all could.
    private(set) var rejection: FrameRejection?

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The field's value; nil if the field is no plain decimal, for example `nan` before the sonde has a GPS fix.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func number() -> Double? {
        let end = fieldEnd
        defer { offset = end &+ 1 }
        return PlainDecimal.parse(bytes.extracting(offset..<end))
    }

    /// The field's value. Without a plain decimal the whole frame is rejected.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func requiredNumber() -> Double? {
        let value = number()
        if value == nil, rejection == nil { rejection = .number }
        return value
    }

    /// The field as a whole number; nil if it is no number, is outside `range` or has a fraction.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func integer(in range: ClosedRange<Int>) -> Int? {
        guard let value = number(), value >= Double(range.lowerBound), value <= Double(range.upperBound) else {
            return nil
        }
        let whole = Int(value)
        return Double(whole) == value ? whole : nil
    }

    /// The field as 0 or 1; nil for any other value.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func flag() -> Bool? { integer(in: 0...1).map { $0 == 1 } }

    /// The field as a name; nil if it is not ``PlainText``.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func name() -> String? {
        let text = string()
        return PlainText.isPlain(text) ? text : nil
    }

    /// The field as a name. Without one the whole frame is rejected.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func requiredName() -> String {
        let text = string()
        if text.isEmpty || !PlainText.isPlain(text), rejection == nil { rejection = .sondeType }
        return text
    }

    /// `count` fields with the slashes between them. Swift stores up to 15 bytes without an allocation.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func string(fields count: Int = 1) -> String {
        let start = offset
        skip(count)
        return String(copying: UTF8Span(unchecked: bytes.extracting(start..<(offset &- 1)), isKnownASCII: true))
    }

    @_lifetime(self: copy self)
    @inline(__always)
    mutating func skip(_ count: Int) {
        for _ in 0..<count { offset = fieldEnd &+ 1 }
    }

    /// The position of the next slash, or of the frame's end.
    @inline(__always)
    private var fieldEnd: Int {
        var end = min(offset, bytes.count)
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end &+= 1 }
        return end
    }
}
