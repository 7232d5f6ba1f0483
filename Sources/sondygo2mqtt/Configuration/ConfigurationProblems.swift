/// The problems of a configuration. Each is a line with the place, the key, the value and what is accepted.
struct ConfigurationProblems: Error, Equatable, CustomStringConvertible {
    private(set) var lines: [String] = []
    /// A flag on the command line is wrong.
    private(set) var isUsage = false
    /// There are more than ``limit`` problems; the others are left out.
    private var isCut = false

    /// The most lines. A file of another kind would give thousands.
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
