import GatewayRuntime

/// What one check of `doctor` found: a line for a person.
struct Finding: Equatable {
    enum Verdict: String {
        case ok
        /// Worth knowing; the gateway works without.
        case note
        /// The gateway can't do its work like this.
        case wrong = "WRONG"
    }

    var subject: String
    var verdict: Verdict
    /// What is, and where that is wrong, what to do.
    var text: String

    init(_ subject: String, _ verdict: Verdict, _ text: String) {
        self.subject = subject
        self.verdict = verdict
        self.text = text
    }

    var line: String {
        "\(verdict.rawValue.padded(to: 5))  \(subject.padded(to: 10))  \(text.plainLine(limit: 500))"
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
