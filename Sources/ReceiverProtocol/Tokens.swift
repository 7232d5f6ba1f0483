/// A frame's `/`-separated tokens, found once and read without copying.
struct Tokens: ~Escapable {
    /// Where each token starts, and behind the last one where the next would. Kept apart from the tokens, inline and on
    /// the stack, so that taking a frame apart allocates nothing and handing its tokens on copies little.
    struct Starts: ~Copyable {
        /// More tokens than any layout has, a callsign of slashes included.
        private static let maximum = 48

        private var starts = InlineArray<49, UInt16>(repeating: 0)
        private var count = 1

        /// - Throws: a byte outside printable ASCII, or more than ``maximum`` tokens.
        init(of bytes: Span<UInt8>) throws(FrameRejection) {
            var offset = 0
            var isPrintable = true
            while offset &+ EightBytes.count <= bytes.count {
                let eight = EightBytes(bytes, at: offset)
                isPrintable = isPrintable && eight.isPrintable
                eight.positions(of: UInt8(ascii: "/")) { append(offset &+ $0 &+ 1) }
                offset &+= EightBytes.count
            }
            for index in offset..<bytes.count {
                isPrintable = isPrintable && 0x20...0x7e ~= bytes[index]
                if bytes[index] == UInt8(ascii: "/") { append(index &+ 1) }
            }
            guard isPrintable else { throw .notPrintable }
            append(bytes.count &+ 1)
            guard count <= Self.maximum + 1 else { throw .tokenCount }
        }

        var span: Span<UInt16> {
            @_lifetime(borrow self)
            get { starts.span.extracting(first: count) }
        }

        @inline(__always)
        private mutating func append(_ start: Int) {
            if count <= Self.maximum { starts[count] = UInt16(truncatingIfNeeded: start) }
            count &+= 1
        }
    }

    private let bytes: Span<UInt8>
    private let starts: Span<UInt16>
    private(set) var hasMalformedNumber = false

    @_lifetime(copy bytes, copy starts)
    init(_ bytes: Span<UInt8>, starts: Span<UInt16>) {
        self.bytes = bytes
        self.starts = starts
    }

    var count: Int { starts.count &- 1 }

    subscript(index: Int) -> Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(range(index)) }
    }

    /// The bytes of several tokens with the slashes between them.
    func joined(_ range: Range<Int>) -> String {
        text(bytes.extracting(self.range(range.lowerBound).lowerBound..<self.range(range.upperBound - 1).upperBound))
    }

    /// The token's value; not a number when it is no plain decimal, which spoils the whole frame.
    @inline(__always)
    mutating func number(_ index: Int) -> Double {
        let range = range(index)
        let value =
            range.count <= EightBytes.count
            ? EightBytes(bytes, from: range.lowerBound).decimal(length: range.count)
            : PlainDecimal.parse(bytes.extracting(range))
        hasMalformedNumber = hasMalformedNumber || value == nil
        return value ?? .nan
    }

    /// A whole number in `range`, nil when it is out of range or has a fraction.
    @inline(__always)
    mutating func integer(_ index: Int, in range: ClosedRange<Int>) -> Int? {
        let value = number(index)
        guard value >= Double(range.lowerBound), value <= Double(range.upperBound) else { return nil }
        let whole = Int(value)
        return Double(whole) == value ? whole : nil
    }

    func string(_ index: Int) -> String { text(self[index]) }

    /// The token for comparison; nil when it is longer than eight bytes.
    @inline(__always)
    func short(_ index: Int) -> EightBytes? {
        let range = range(index)
        return range.count <= EightBytes.count
            ? EightBytes(bytes, from: range.lowerBound).prefix(range.count) : nil
    }

    @inline(__always)
    private func range(_ index: Int) -> Range<Int> {
        let start = Int(starts[index])
        return start..<max(start, Int(starts[index &+ 1]) &- 1)
    }

    /// Up to 15 bytes stay inside the string value.
    private func text(_ span: Span<UInt8>) -> String {
        String(copying: UTF8Span(unchecked: span, isKnownASCII: true))
    }
}
