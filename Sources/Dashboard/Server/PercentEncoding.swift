extension Substring {
    /// A part of a path, decoded: `AB%20CD` -> `AB CD`.
    /// - Returns: nil for a wrong percent code, for bytes that are not UTF-8, and if the result has a slash or a
    ///   control character, which could make another path or another line of it.
    var percentDecoded: String? {
        var (bytes, rest) = ([UInt8](), utf8[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
        return isPlain ? text : nil
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit; nil for another character.
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
