/// Follows a JSON text byte by byte, to know where its strings end, in whatever pieces it comes.
struct JSONStringScan: Sendable {
    private(set) var isInString = false
    private var isEscaped = false

    /// A string has begun; call this at its quotation mark.
    mutating func begin() { isInString = true }

    /// Passes the next byte of a string, or the quotation mark that ends it.
    /// - Returns: whether the byte stands for itself: it belongs to no escape and does not end the string.
    mutating func pass(_ byte: UInt8) -> Bool {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        } else {
            return true
        }
        return false
    }
}
