/// A choice of the configuration that a command may replace, across restarts, until the configuration changes.
struct CommandedChoice<Value: RawRepresentable<String> & Equatable & Sendable>: Equatable, Sendable {
    private var configured: Value
    private(set) var value: Value

    init(_ configured: Value) {
        self.configured = configured
        value = configured
    }

    /// Follows a command.
    /// - Parameter value: nil restores the configured one.
    mutating func change(to value: Value?) { self.value = value ?? configured }

    /// For the store, after a command.
    var stored: StoredChoice { StoredChoice(commanded: value.rawValue, configured: configured.rawValue) }

    /// Restores a command's value after a restart, unless the configuration has changed.
    mutating func recall(_ stored: StoredChoice?) {
        guard let stored, stored.configured == configured.rawValue, let commanded = Value(rawValue: stored.commanded)
        else { return }
        value = commanded
    }

    /// Follows a reloaded configuration.
    /// - Returns: whether the configured value has changed. Then it replaces an earlier command's.
    mutating func configure(_ value: Value) -> Bool {
        guard value != configured else { return false }
        (configured, self.value) = (value, value)
        return true
    }
}

/// The choice of a command, and the configured one that it replaced, in their stored form.
struct StoredChoice: StoredValue {
    var commanded: String
    var configured: String
}

extension StoredChoice {
    init?(earlier text: String) {
        let words = text.split(separator: " ").map { String($0) }
        guard words.count == 2 else { return nil }
        self.init(commanded: words[0], configured: words[1])
    }
}
