/// Addresses as requests carry them.
public enum WebAddress {
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=".utf8)

    /// The first character that must be written as `%XX`; nil if there is none. With such a character Foundation would
    /// escape the whole address, even the parts that are escaped already.
    public static func oddCharacter(in url: String) -> Character? {
        url.indices.first { index in
            let character = url[index]
            guard character == "%" else { return !character.utf8.allSatisfy(plain.contains) }
            let digits = url[index...].dropFirst().prefix(2)
            return digits.count < 2 || !digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        }.map { url[$0] }
    }
}
