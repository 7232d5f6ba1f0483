/// Decodes `02 05 02`. Blanks are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { start in
        let from = digits.index(digits.startIndex, offsetBy: start)
        return UInt8(digits[from..<digits.index(from, offsetBy: 2)], radix: 16)
    }
}
