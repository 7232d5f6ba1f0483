extension String {
    /// The text as one visible line. Control characters (also C1), line and paragraph separators, direction marks and
    /// invisible characters are written like `\u{202E}`. A text that is too long is cut, and a note tells by how much.
    ///
    /// Foreign text (a sonde's name, a broker's answer) must not begin a new line, colour a terminal or reverse words.
    /// - Parameter limit: the longest result in bytes, without the note.
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
