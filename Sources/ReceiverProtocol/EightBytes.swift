/// Eight bytes of text in one machine word, first byte lowest: compared, searched and read as a number all at once.
///
/// This is where the parser's speed comes from: a frame's numbers have different lengths, and a loop over their bytes
/// spends most of its time on branches that the processor guessed wrong.
struct EightBytes: Equatable {
    static let count = 8

    /// Lanes that hold no text are zero.
    private let word: UInt64

    /// - Parameter offset: at least ``count`` bytes before the end of `text`.
    @inline(__always)
    init(_ text: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && offset &+ Self.count <= text.count)
        word = UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// As many bytes from `offset` on as there are.
    @inline(__always)
    init(_ text: Span<UInt8>, from offset: Int) {
        if offset &+ Self.count <= text.count {
            self.init(text, at: offset)
        } else {
            self.init(word: (offset..<text.count).reversed().reduce(0) { $0 << 8 | UInt64(text[$1]) })
        }
    }

    /// The first `length` bytes alone.
    @inline(__always)
    func prefix(_ length: Int) -> EightBytes {
        length < Self.count ? EightBytes(word: word & ~(~0 &<< UInt64(length &* 8))) : self
    }

    /// The text of a string literal, for comparison.
    init(_ literal: StaticString) {
        precondition(literal.utf8CodeUnitCount <= Self.count)
        word = (0..<literal.utf8CodeUnitCount).reversed().reduce(0) { $0 << 8 | UInt64(literal.utf8Start[$1]) }
    }
}

extension EightBytes {
    /// The position of the first `byte` (ASCII), 8 if there is none.
    @inline(__always)
    func firstPosition(of byte: UInt8) -> Int {
        // A borrow can mark lanes above a zero one, but none below it.
        let differing = word ^ Self.every(byte)
        return ((differing &- Self.every(0x01)) & ~differing & Self.every(0x80)).trailingZeroBitCount / 8
    }

    /// All eight bytes are in 0x20...0x7e.
    @inline(__always)
    var isPrintable: Bool {
        let aboveTilde = word &+ Self.every(0x01) | word
        let belowSpace = ~((word | Self.every(0x80)) &- Self.every(0x20))
        return (aboveTilde | belowSpace) & Self.every(0x80) == 0
    }

    /// How many bytes are `byte` (ASCII).
    @inline(__always)
    func occurrences(of byte: UInt8) -> Int {
        let differing = word ^ Self.every(byte)
        let marks = ~((differing & Self.every(0x7f)) &+ Self.every(0x7f) | differing) & Self.every(0x80)
        // The product's top byte is the sum of all lanes.
        return Int(truncatingIfNeeded: ((marks &>> 7) &* Self.every(0x01)) &>> 56)
    }

    /// The plain decimal in the first `length` bytes, whatever follows them; nil if they are none.
    @inline(__always)
    func decimal(length: Int) -> Double? {
        let isNegative = word & 0xff == UInt64(UInt8(ascii: "-"))
        let sign = isNegative ? 1 : 0
        var text = word &>> UInt64(sign &* 8)
        var digits = length &- sign
        var fractionDigits = 0
        let whole = EightBytes(word: text).firstPosition(of: UInt8(ascii: "."))
        if whole < digits {
            fractionDigits = digits &- whole &- 1
            guard whole > 0, fractionDigits > 0 else { return nil }
            let behind = ~0 &<< UInt64(whole &* 8)
            text = text & ~behind | text &>> 8 & behind
            digits &-= 1
        }
        guard digits > 0 else { return nil }
        // Lane 0 becomes the first of eight digits: the text moves up, zeros lead it, and what followed it falls off.
        let values = (text ^ Self.every(UInt8(ascii: "0"))) &<< UInt64(64 &- digits &* 8)
        guard (values | values &+ Self.every(0x06)) & Self.every(0xf0) == 0 else { return nil }
        var magnitude = Double(Self.number(values))
        if fractionDigits > 0 { magnitude /= PlainDecimal.powersOfTen[unchecked: fractionDigits] }
        return isNegative ? -magnitude : magnitude
    }

    /// The text these bytes are, up to the first zero.
    var string: String {
        withUnsafeBytes(of: word.littleEndian) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private init(word: UInt64) { self.word = word }

    /// Eight lanes of 0-9, the most significant lowest: pairs, then fours, then the whole.
    @inline(__always)
    private static func number(_ digits: UInt64) -> Int {
        let pairs = digits &* 10 &+ digits >> 8
        let high = (pairs & 0x0000_00ff_0000_00ff) &* (100 + 1_000_000 << 32)
        let low = (pairs >> 16 & 0x0000_00ff_0000_00ff) &* (1 + 10_000 << 32)
        return Int(truncatingIfNeeded: (high &+ low) &>> 32)
    }

    @inline(__always)
    private static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
