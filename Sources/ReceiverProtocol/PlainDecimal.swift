/// Plain decimals as the receiver prints them: `-?digits[.digits]`, whatever the locale.
///
/// Anything else - `nan`, `inf`, `0x1p3`, `1e5`, `+5`, ` 5`, `5,3`, `.5`, `5.` - is not a number here.
public enum PlainDecimal {
    /// The longest text that is read as a number; 400 digits are an attack or a fault, not a measurement.
    public static let maximumLength = 40

    /// The value nearest to the decimal, bit for bit what C's `strtod` gives; nil if the text is not a plain decimal.
    ///
    /// Below 2^53 without the point, it goes an exact way without allocation: such an integer divided by a power of ten
    /// up to 10^22 is correctly rounded. The rare ones beyond 2^53 go through the standard library.
    public static func parse(_ text: Span<UInt8>) -> Double? {
        guard (1...maximumLength).contains(text.count) else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        var mantissa: UInt64 = 0
        var digits = 0
        var point: Int?
        for index in (isNegative ? 1 : 0)..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += 1
            } else if text[index] == UInt8(ascii: "."), point == nil, digits > 0 {
                point = digits
            } else {
                return nil
            }
        }
        guard digits > 0, point != digits else { return nil }
        // 19 digits or more may have wrapped around.
        guard digits <= 18, mantissa < 1 << 53 else {
            return text.withUnsafeBufferPointer { Double(String(decoding: $0, as: UTF8.self)) }
        }
        let magnitude = Double(mantissa) / powersOfTen[digits - (point ?? digits)]
        return isNegative ? -magnitude : magnitude
    }

    static let powersOfTen: InlineArray<19, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]
}
