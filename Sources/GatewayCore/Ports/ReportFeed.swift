public import FlightMath

/// Somebody who renders the gateway's reports: the page, another program. MQTT is one more of them.
public protocol ReportFeed: Sendable {
    /// Takes the next report. Called for every one, in order, from one task; must return at once, so whatever waits for a
    /// socket does so elsewhere, bounded.
    func take(_ report: Report, at now: Moment)
    /// For health; nothing where there is nothing to count.
    var counts: [FeedCounts] { get }
}

extension ReportFeed {
    public var counts: [FeedCounts] { [] }
}

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
