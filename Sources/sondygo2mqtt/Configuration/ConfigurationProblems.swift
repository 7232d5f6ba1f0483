/// What is wrong with the configuration, a line each: where, key, value, what is accepted.
struct ConfigurationProblems: Error, Equatable, CustomStringConvertible {
    private(set) var lines: [String] = []
    /// Something is wrong on the command line.
    private(set) var isUsage = false
    /// There are more than ``limit``, which are not written down.
    private var isCut = false

    /// Lines kept; a file of another kind would give thousands.
    static let limit = 50

    var isEmpty: Bool { lines.isEmpty }

    var description: String {
        (isCut ? lines + ["… and more"] : lines).joined(separator: "\n")
    }

    mutating func add(_ line: String, isUsage: Bool = false) {
        self.isUsage = self.isUsage || isUsage
        if lines.count >= Self.limit { isCut = true } else { lines.append(line) }
    }
}
