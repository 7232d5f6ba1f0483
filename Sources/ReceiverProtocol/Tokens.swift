/// A frame's `/`-separated tokens, found once and read without copying.
///
/// Positions are kept inline, so taking a frame apart allocates nothing.
struct Tokens: ~Escapable {
    /// More tokens than any layout has, a callsign of slashes included.
    static let maximum = 48

    private let bytes: Span<UInt8>
    /// Where each token starts; the entry after the last token is one past its terminating slash.
    private var starts: InlineArray<49, UInt16>
    /// Tokens found; more than ``maximum`` are not told apart.
    let count: Int

    /// - Returns: nil when a byte is outside printable ASCII, or the frame has more than ``maximum`` tokens.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) throws(FrameRejection) {
        var starts = InlineArray<49, UInt16>(repeating: 0)
        var count = 1
        for index in 0..<bytes.count {
            let byte = bytes[unchecked: index]
            if byte == UInt8(ascii: "/") {
                guard count < Self.maximum else { throw .tokenCount }
                starts[count] = UInt16(truncatingIfNeeded: index &+ 1)
                count &+= 1
            } else if byte < 0x20 || byte > 0x7e {
                throw .notPrintable
            }
        }
        starts[count] = UInt16(truncatingIfNeeded: bytes.count &+ 1)
        self.bytes = bytes
        self.starts = starts
        self.count = count
    }

    subscript(index: Int) -> Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(Int(starts[index])..<Int(starts[index &+ 1]) &- 1) }
    }

    /// The bytes of several tokens with the slashes between them.
    func joined(_ range: Range<Int>) -> String {
        text(bytes.extracting(Int(starts[range.lowerBound])..<Int(starts[range.upperBound]) &- 1))
    }

    func number(_ index: Int) throws(FrameRejection) -> Double {
        guard let value = PlainDecimal.parse(self[index]) else { throw .number }
        return value
    }

    /// A whole number in `range`, nil when it is out of range or has a fraction.
    func integer(_ index: Int, in range: ClosedRange<Int>) throws(FrameRejection) -> Int? {
        let value = try number(index)
        guard value >= Double(range.lowerBound), value <= Double(range.upperBound), value == value.rounded() else {
            return nil
        }
        return Int(value)
    }

    func string(_ index: Int) -> String { text(self[index]) }

    func isTerminator(_ index: Int) -> Bool {
        let token = self[index]
        return token.count == 1 && token[0] == UInt8(ascii: "o")
    }

    /// Printable ASCII, so up to 15 bytes stay inside the string value.
    private func text(_ span: Span<UInt8>) -> String {
        span.withUnsafeBufferPointer { source in
            String(unsafeUninitializedCapacity: source.count) { target in
                target.initialize(fromContentsOf: source)
            }
        }
    }
}
