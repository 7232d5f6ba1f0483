import Gateway

/// Text for a place in a URL.
public enum PercentText {
    /// Encodes all bytes but letters, digits and `-_.` in percent form.
    public static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                String(UnicodeScalar(byte))
            default: "%" + [byte].hex.uppercased()
            }
        }.joined()
    }
}
