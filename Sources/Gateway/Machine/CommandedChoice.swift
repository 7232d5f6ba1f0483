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

    /// The value for the store, after a command.
    var stored: String { "\(value.rawValue) \(configured.rawValue)" }

    /// Restores a command's value after a restart, unless the configuration has changed.
    mutating func recall(_ stored: String?) {
        let values = (stored ?? "").split(separator: " ").map { Value(rawValue: String($0)) }
        guard values.count == 2, let commanded = values[0], values[1] == configured else { return }
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
