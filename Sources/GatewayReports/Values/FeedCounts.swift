/// What a feed to another program has done since the start.
public struct FeedCounts: Equatable, Sendable {
    /// As the configuration calls it.
    public var name: String
    /// Who listens now.
    public var clients: Int
    /// Messages that went out, and those that somebody was too slow or too many for.
    public var messages, drops: Int

    public init(name: String, clients: Int = 0, messages: Int = 0, drops: Int = 0) {
        self.name = name
        self.clients = clients
        self.messages = messages
        self.drops = drops
    }
}
