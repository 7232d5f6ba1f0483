import GatewayRuntime

/// The result of one check of `doctor`: one line for the user.
struct Finding: Equatable {
    enum Verdict: String {
        case ok
        /// The user should know it; the gateway works.
        case note
        /// The gateway can't work like this.
        case wrong = "WRONG"
    }

    var subject: String
    var verdict: Verdict
    /// The state, and if it is wrong, what to do.
    var text: String

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .ok, text: text)
    }

    static func note(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .note, text: text)
    }

    static func wrong(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text)
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
