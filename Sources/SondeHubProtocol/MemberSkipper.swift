/// Skips an object's member (`"key": value`) that is too long to keep, in whatever pieces its text comes.
struct MemberSkipper: Sendable {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// - Returns: the position of the comma or bracket behind the member; nil if `text` ends first.
    mutating func end(in text: Span<UInt8>) -> Int? {
        for index in 0..<text.count {
            let byte = text[unchecked: index]
            if isInString {
                passInString(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth &-= 1
            case UInt8(ascii: ",") where depth == 0: return index
            default: break
            }
        }
        return nil
    }

    private mutating func passInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
