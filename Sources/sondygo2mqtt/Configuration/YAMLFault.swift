import Yams

/// Why a text is no YAML, in words for its author.
struct YAMLFault {
    let text: String
    /// The line from 1; nil if it is unknown.
    let line: Int?

    init(_ error: YamlError, in yaml: String) {
        switch error {
        case .duplicatedKeysInMapping(let keys, let context):
            text = "given twice: \(keys.joined(separator: ", ")); keep one"
            line = context.mark.line
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            text = Self.words(problem, isTabbed: Self.isTabbed(yaml, mark.line))
            line = mark.line
        case .reader(let problem, _, _, _):
            text = "not valid YAML: \(problem)"
            line = nil
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            text = "not valid YAML"
            line = nil
        }
    }

    private static func words(_ problem: String, isTabbed: Bool) -> String {
        if isTabbed { return "indented with a tab; use spaces" }
        return problem.contains("nesting level") ? "nested too deeply" : "not valid YAML: \(problem)"
    }

    private static func isTabbed(_ yaml: String, _ line: Int) -> Bool {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        guard line >= 1, let text = lines.dropFirst(line - 1).first else { return false }
        return text.prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
}
