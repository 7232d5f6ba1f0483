import ReceiverProtocol

/// Numbers in JSON text. Old records write them as strings.
enum JSONNumber {
    /// - Returns: nil for anything but a finite number. Nearly all numbers are plain decimals; these are parsed without
    ///   making a string.
    static func parse(_ text: Span<UInt8>) -> Double? {
        if text.count > 0, let plain = PlainDecimal.parse(text) { return plain }
        let trimmed = Self.trimmed(text)
        guard trimmed.count > 0, trimmed.count <= PlainDecimal.maximumLength else { return nil }
        // The standard library would also accept `nan`, `inf` and `0x1p3`.
        for index in 0..<trimmed.count where !isOfNumber(trimmed[index]) { return nil }
        let value = trimmed.withUnsafeBufferPointer { Double(String(decoding: $0, as: UTF8.self)) }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    @_lifetime(copy text)
    private static func trimmed(_ text: Span<UInt8>) -> Span<UInt8> {
        var range = 0..<text.count
        while let first = range.first, text[first] <= 0x20 { range.removeFirst() }
        while let last = range.last, text[last] <= 0x20 { range.removeLast() }
        return text.extracting(range)
    }
}
