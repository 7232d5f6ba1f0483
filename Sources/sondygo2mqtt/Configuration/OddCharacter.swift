/// A character that looks like a space or a quote of YAML and is none. It comes from a word processor or a web page. YAML
/// takes it for a letter and finds the fault elsewhere.
struct OddCharacter {
    let line: Int
    let text: String

    private static let spaces: [Character: String] = [
        "\u{00A0}": "a no-break space", "\u{202F}": "a narrow no-break space", "\u{2007}": "a figure space",
        "\u{3000}": "a wide space", "\u{200B}": "an invisible space", "\u{FEFF}": "a byte order mark",
    ]
    private static let quotes: Set<Character> = ["“", "”", "„", "‟", "‘", "’", "‚", "‛", "«", "»"]

    /// The first one that stands for a space or a quote; nil if there is none. Within a text they are letters like any.
    static func first(in text: String) -> OddCharacter? {
        var blockIndent: Int?
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let indent = line.prefix { $0 == " " }.count
            if let block = blockIndent {
                if indent > block || line.allSatisfy(\.isWhitespace) { continue }
                blockIndent = nil
            }
            if let odd = find(in: line) { return OddCharacter(line: number + 1, text: odd) }
            if isBlockHead(line) { blockIndent = indent }
        }
        return nil
    }

    /// Whether a text in lines of its own follows: `body: |`.
    private static func isBlockHead(_ line: Substring) -> Bool {
        let end = line.split(separator: " ").last ?? ""
        return ["|", "|-", "|+", ">", ">-", ">+"].contains(String(end))
    }

    private static func find(in line: Substring) -> String? {
        var rest = line
        // The signs before the value: spaces, dashes of a list, the key with its colon.
        while let first = rest.first {
            if let name = spaces[first] { return "has \(name) where a space belongs; type the space anew" }
            if first == " " || first == "\t" || first == "-" && isSign(rest) {
                rest = rest.dropFirst()
            } else if let key = key(rest) {
                rest = rest.dropFirst(key.count + 1)
                if let name = key.lazy.compactMap({ spaces[$0] }).first {
                    return "has \(name) where a space belongs; type the space anew"
                }
            } else {
                return quotes.contains(first) ? "has the quote \(first); type a straight one, \" or '" : nil
            }
        }
        return nil
    }

    /// Whether the dash begins an item of a list.
    private static func isSign(_ rest: Substring) -> Bool {
        rest.dropFirst().first.map { $0 == " " || spaces[$0] != nil } ?? true
    }

    /// The name before a colon that a space or something like one follows; nil if no key begins here.
    private static func key(_ rest: Substring) -> Substring? {
        let name = rest.prefix { $0.isLetter || $0.isNumber || "_-.".contains($0) || spaces[$0] != nil }
        guard !name.isEmpty, rest.dropFirst(name.count).first == ":" else { return nil }
        let next = rest.dropFirst(name.count + 1).first
        return next.map { $0 == " " || spaces[$0] != nil } ?? true ? name : nil
    }
}
