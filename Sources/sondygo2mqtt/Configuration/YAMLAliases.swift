/// Finds aliases in a YAML text before it is parsed.
enum YAMLAliases {
    /// The first alias `*name` that has an anchor `&name`, and its line from 1. An asterisk without an anchor is left
    /// to the parser, because it may be part of a text.
    static func first(in text: String) -> (name: String, line: Int)? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let anchors = Set(lines.flatMap { names(after: "&", in: $0) })
        guard !anchors.isEmpty else { return nil }
        for (index, line) in lines.enumerated() {
            if let name = names(after: "*", in: line).first(where: { anchors.contains($0) }) {
                return (String(name.prefix(40)), index + 1)
            }
        }
        return nil
    }

    /// Words that begin with `mark` where a YAML value may begin.
    private static func names(after mark: Unicode.Scalar, in line: Substring) -> [Substring] {
        let ends = Set(" \t\r,[]{}".unicodeScalars)
        let scalars = line.unicodeScalars
        var names: [Substring] = []
        var before: Unicode.Scalar = " "
        for index in scalars.indices {
            let scalar = scalars[index]
            if scalar == "#", before == " " { break }
            if scalar == mark, ends.contains(before) {
                let rest = scalars[scalars.index(after: index)...]
                names.append(Substring(rest.prefix { !ends.contains($0) }))
            }
            before = scalar
        }
        return names.filter { !$0.isEmpty }
    }
}
