/// Skips an object's member (`"key": value`) that is too long to keep, in whatever pieces its text comes.
struct MemberSkipper: Sendable {
    private var depth = 0
    private var string = JSONStringScan()

    /// - Returns: the position of the comma or bracket behind the member; nil if `text` ends first.
    mutating func end(in text: Span<UInt8>) -> Int? {
        for index in 0..<text.count {
            let byte = text[unchecked: index]
            if string.isInString {
                _ = string.pass(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): string.begin()
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
}
