/// The counters of a feed to another program since the start.
public struct FeedCounts: Equatable, Sendable {
    /// The feed's name in the configuration.
    public var name: String
    /// The clients that are connected now.
    public var clients: Int
    /// The messages sent, and those dropped because a client was too slow or there were too many clients.
    public var messages, drops: Int

    public init(name: String, clients: Int = 0, messages: Int = 0, drops: Int = 0) {
        self.name = name
        self.clients = clients
        self.messages = messages
        self.drops = drops
    }
}
