/// Plain decimals as the receiver prints them: `-?digits[.digits]`, in any locale.
///
/// Anything else is no number here, for example `nan`, `inf`, `0x1p3`, `1e5`, `+5`, ` 5`, `5,3`, `.5` and `5.`.
public enum PlainDecimal {
    /// The longest text that is parsed. A field of 400 digits is an attack or a fault, not a measurement.
    public static let maximumLength = 40

    /// The nearest value to the decimal, bit for bit the result of C's `strtod`; nil if the text is not a plain
    /// decimal.
    ///
    /// If the digits without the point are below 2^53, the value is computed exactly and without allocation: such an
    /// integer divided by a power of ten up to 10^22 is correctly rounded. The standard library converts the few other
    /// texts.
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
        // From 19 digits on the mantissa may have overflowed.
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
