/// Something worth a line in the log.
public struct GatewayNote: Equatable, Sendable {
    /// By audience: a user reads notice and above.
    public enum Level: String, CaseIterable, Sendable {
        case debug, info, notice, warning, error
    }

    public var level: Level
    /// Static text, or an event's sentence.
    public var message: String
    /// The facts, in the order to print them.
    public var facts: [Fact]

    public struct Fact: Equatable, Sendable {
        public var key: String
        public var value: String
    }

    public init(_ level: Level, _ message: String, facts: KeyValuePairs<String, String> = [:]) {
        self.level = level
        self.message = message
        self.facts = facts.map { Fact(key: $0.key, value: $0.value) }
    }
}
