import FoundationEssentials

/// Walks through JSON text that may end anywhere. If a method returns nil, its caller tries again with more bytes.
struct JSONCursor {
    var position = 0

    /// Skips white space and the separator.
    /// - Returns: the byte that follows; nil at the end of the text.
    mutating func skip(_ separator: UInt8, _ text: Span<UInt8>) -> UInt8? {
        while position < text.count {
            let byte = text[unchecked: position]
            if byte > 0x20, byte != separator { return byte }
            position &+= 1
        }
        return nil
    }

    /// Steps over the string that begins here.
    /// - Returns: the range of its content with escapes undecoded; nil if the text ends first.
    mutating func string(_ text: Span<UInt8>) -> Range<Int>? {
        let start = position &+ 1
        var index = start
        let count = text.count
        while index < count {
            let byte = text[unchecked: index]
            if byte == UInt8(ascii: "\"") {
                position = index &+ 1
                return start..<index
            }
            index &+= byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// Steps over the value that begins here.
    /// - Returns: false if the text ends first.
    mutating func skipValue(_ text: Span<UInt8>) -> Bool {
        guard position < text.count else { return false }
        switch text[position] {
        case UInt8(ascii: "\""): return string(text) != nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested(text)
        default: return scalar(text) != nil
        }
    }

    /// Steps over the number or word that begins here.
    /// - Returns: its range; nil if the text ends first.
    mutating func scalar(_ text: Span<UInt8>) -> Range<Int>? {
        var index = position
        while index < text.count {
            let byte = text[unchecked: index]
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte <= 0x20 {
                defer { position = index }
                return position..<index
            }
            index &+= 1
        }
        return nil
    }

    private mutating func skipNested(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        var inner = self
        while inner.position < text.count {
            switch text[unchecked: inner.position] {
            case UInt8(ascii: "\""):
                guard inner.string(text) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth &-= 1
                if depth == 0 {
                    position = inner.position &+ 1
                    return true
                }
            default: break
            }
            inner.position &+= 1
        }
        return false
    }

    /// The decoded value of a string; nil if it is invalid.
    static func decoded(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        let bytes = text.extracting(range).withUnsafeBufferPointer { Array($0) }
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(validating: bytes, as: UTF8.self) }
        let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        return try? JSONDecoder().decode(String.self, from: Data(quoted))
    }

    /// The decoded bytes of a string that holds JSON itself. A `\u` escape of a character outside ASCII becomes `?`.
    static func unescaped(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            defer { index += 1 }
            guard text[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound else {
                bytes.append(text[index])
                continue
            }
            index += 1
            switch text[index] {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"):
                bytes.append(0x20)
            case UInt8(ascii: "u"):
                let digits = text.extracting((index + 1)..<min(index + 5, range.upperBound))
                let code =
                    digits.count < 4
                    ? nil : digits.withUnsafeBufferPointer { UInt32(String(decoding: $0, as: UTF8.self), radix: 16) }
                bytes.append(code.flatMap { $0 < 0x80 ? UInt8($0) : nil } ?? UInt8(ascii: "?"))
                index += digits.count
            case let byte: bytes.append(byte)
            }
        }
        return bytes
    }
}
