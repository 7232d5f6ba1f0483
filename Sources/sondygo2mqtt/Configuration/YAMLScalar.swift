/// A single value of a YAML file, with its type by the core schema of YAML 1.2: `off`, `yes` and `12:30` are texts.
struct YAMLScalar: Equatable {
    enum Kind: Equatable {
        case null, truth, wholeNumber, number, text
        /// A text in quotes or a block, whatever it looks like.
        case quotedText
    }

    var text: String
    var kind: Kind

    /// - Parameter isPlain: the file has it without quotes.
    init(_ text: String, isPlain: Bool) {
        self.text = text
        kind = isPlain ? Self.kind(of: text) : .quotedText
    }

    /// The value as in the file, but short and on one line, because each line of a message is one problem.
    var shown: String {
        let short = (text.count > 60 ? text.prefix(60) + "…" : text).replacing("\n", with: "\\n")
        return switch kind {
        case .null: "null"
        case .truth, .wholeNumber, .number: short
        case .text, .quotedText: "\"\(short)\""
        }
    }

    private static func kind(of text: String) -> Kind {
        switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE", "false", "False", "FALSE": .truth
        case ".inf", ".Inf", ".INF", "+.inf", "-.inf", ".nan", ".NaN", ".NAN": .number
        default: number(text)
        }
    }

    private static func number(_ text: String) -> Kind {
        let digits = text.utf8.first.map { "+-".utf8.contains($0) } == true ? text.dropFirst() : text[...]
        let isHex = text.hasPrefix("0x") && text.count > 2 && text.dropFirst(2).allSatisfy(\.isHexDigit)
        let isOctal = text.hasPrefix("0o") && text.count > 2 && text.dropFirst(2).allSatisfy { "01234567".contains($0) }
        guard !isHex, !isOctal else { return .wholeNumber }
        guard let first = digits.utf8.first, first.isDigit || first == UInt8(ascii: ".") else { return .text }
        if digits.utf8.allSatisfy(\.isDigit) { return .wholeNumber }
        let isNumber =
            digits.utf8.contains(where: \.isDigit) && digits.utf8.allSatisfy { $0.isDigit || ".eE+-".utf8.contains($0) }
        return isNumber && Double(text) != nil ? .number : .text
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
