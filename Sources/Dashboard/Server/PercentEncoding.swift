extension Substring {
    /// Of a part of a path, with its percent forms read: `AB%20CD` -> `AB CD`.
    /// - Returns: nil for a form that is none, for what is no UTF-8 then, and where a slash or a control character appears:
    ///   such a part would be another path, or another line, to whoever reads on.
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
    /// Of a hexadecimal digit.
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
