extension String {
    /// One line that can't be mistaken for another: control characters (also C1), line and paragraph separators, marks
    /// that turn the direction of writing and invisible ones are written as `\u{202E}`, and what is too long is cut off
    /// with a word about how much.
    ///
    /// Foreign text (a sonde's name, a broker's answer) must not begin a line of its own, colour a terminal or put words
    /// in another order.
    /// - Parameter limit: the longest result, bytes, but for that word.
    public func plainLine(limit: Int = 4000) -> String {
        guard utf8.count > limit || unicodeScalars.contains(where: \.isDisturbing) else { return self }
        var line = ""
        var length = 0
        var taken = 0
        for scalar in unicodeScalars {
            let piece = scalar.isDisturbing ? scalar.escaped : String(scalar)
            guard length + piece.utf8.count <= limit else { break }
            line += piece
            length += piece.utf8.count
            taken += UTF8.width(scalar)
        }
        let rest = utf8.count - taken
        return rest > 0 ? line + "… (\(rest) bytes more)" : line
    }
}

extension Unicode.Scalar {
    fileprivate var isDisturbing: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(value, radix: 16, uppercase: true) + "}"
        }
    }
}
