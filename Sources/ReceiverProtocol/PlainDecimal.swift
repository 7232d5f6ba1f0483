/// Plain decimals as the receiver prints them: `-?digits[.digits]`, whatever the locale.
///
/// Anything else - `nan`, `inf`, `0x1p3`, `1e5`, `+5`, ` 5`, `5,3`, `.5`, `5.` - is not a number here.
public enum PlainDecimal {
    /// The longest text that is read as a number; 400 digits are an attack or a fault, not a measurement.
    public static let maximumLength = 40

    /// The value nearest to the decimal, bit for bit what C's `strtod` gives; nil if the text is not a plain decimal.
    ///
    /// Up to 15 significant digits go an exact way without allocation: an integer below 2^53 divided by a power of ten
    /// up to 10^22 is correctly rounded. The rare longer ones go through the standard library.
    public static func parse(_ text: Span<UInt8>) -> Double? {
        let count = text.count
        guard count > 0, count <= maximumLength else { return nil }
        var index = 0
        let negative = text[0] == UInt8(ascii: "-")
        if negative { index = 1 }
        var mantissa: UInt64 = 0
        var significant = 0
        var fractionDigits = 0
        var wholeDigits = 0
        var sawPoint = false
        while index < count {
            let byte = text[index]
            let digit = byte &- UInt8(ascii: "0")
            if digit <= 9 {
                // The sixteenth digit on does not fit the exact way; its value no longer matters here.
                if significant > 0 || digit > 0 { significant &+= 1 }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if sawPoint { fractionDigits &+= 1 } else { wholeDigits &+= 1 }
            } else if byte == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
            } else {
                return nil
            }
            index &+= 1
        }
        guard wholeDigits > 0, !sawPoint || fractionDigits > 0 else { return nil }
        guard significant <= 15, fractionDigits <= 22 else { return parseLong(text) }
        let magnitude = Double(mantissa) / powersOfTen[fractionDigits]
        return negative ? -magnitude : magnitude
    }

    /// The text is known to be a plain decimal that the exact way can't take.
    private static func parseLong(_ text: Span<UInt8>) -> Double? {
        var string = ""
        string.reserveCapacity(text.count)
        for index in text.indices { string.unicodeScalars.append(Unicode.Scalar(text[index])) }
        return Double(string)
    }

    private static let powersOfTen: InlineArray<23, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
