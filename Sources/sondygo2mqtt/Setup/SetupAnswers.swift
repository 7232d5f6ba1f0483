/// The answers to `setup`'s questions. A question without one keeps its value.
struct SetupAnswers {
    private var answers: [SetupQuestion: String] = [:]
    /// The broker's new password; nil to keep the present one.
    var password: String?

    subscript(_ question: SetupQuestion) -> String? {
        get { answers[question] }
        set { answers[question] = newValue }
    }

    var hasBroker: Bool { password != nil || answers[.broker] != nil || answers[.user] != nil }

    mutating func dropBroker() {
        (answers[.broker], answers[.user], password) = (nil, nil, nil)
    }

    /// The keys that the answers set, with their values as they stand in the file. An answer that is in force already,
    /// like a default, needs no line in the file.
    func values(over present: Configuration) -> [String: String] {
        var values: [String: String] = [:]
        for question in SetupQuestion.allCases {
            guard let answer = answers[question], answer != question.present(in: present) else { continue }
            values.merge(question.values(for: answer) ?? [:]) { _, new in new }
        }
        // Without a user there is no password. Only the one that the page got stands in the answers.
        let ours = SetupFile(stateDirectory: present.gateway.stateDirectory).password.path
        if answers[.user].map(SetupQuestion.isNone) == true, present.mqtt.passwordFile == ours {
            values["mqtt.password_file"] = "null"
        }
        return values
    }

    /// The configuration with these answers, for a test of the broker.
    func applied(to present: Configuration) -> Configuration {
        var configuration = present
        for (path, value) in values(over: present) {
            let text = value == "null" ? nil : value.trimmingQuotes
            _ = ConfigurationKey.named(path)?.apply(&configuration, text)
        }
        if let password { configuration.password = password }
        return configuration
    }
}

extension String {
    fileprivate var trimmingQuotes: String {
        hasPrefix("\"") && hasSuffix("\"") && count >= 2 ? String(dropFirst().dropLast()) : self
    }
}
