/// Text from outside that the gateway shows: names of sondes, types, versions.
public enum PlainText {
    /// Whether the text has only printable ASCII, and no `<`, `>`, `&`, `"` or `'`. Terminals, HTML, XML, JSON and SQL
    /// can show such a text as it is.
    @inline(__always)
    public static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
            default: 0x20...0x7e ~= byte
            }
        }
    }
}
