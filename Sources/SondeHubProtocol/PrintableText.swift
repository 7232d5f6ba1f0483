/// Makes a server's words fit for a log line: printable ASCII, at most 120 characters.
public enum PrintableText {
    /// - Parameter longest: the most characters.
    public static func of(_ bytes: some Sequence<UInt8>, longest: Int = 120) -> String {
        var shown: [UInt8] = []
        for byte in bytes {
            guard shown.count < longest else { break }
            switch byte {
            case 0x21...0x7e: shown.append(byte)
            // A run of white space becomes one blank.
            case 0x09, 0x0a, 0x0d, 0x20: if shown.last != 0x20, !shown.isEmpty { shown.append(0x20) }
            default: shown.append(UInt8(ascii: "?"))
            }
        }
        if shown.last == 0x20 { shown.removeLast() }
        return String(decoding: shown, as: UTF8.self)
    }
}
