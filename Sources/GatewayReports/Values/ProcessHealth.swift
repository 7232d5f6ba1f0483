/// What only the process around the machine can measure, for health.
public struct ProcessHealth: Equatable, Sendable {
    /// Resident and anonymous memory, bytes; nil where the system doesn't tell.
    public var residentBytes, anonymousBytes: Int?
    /// Times that the broker went away.
    public var brokerOutages: Int
    /// Messages that wait for the broker.
    public var queueDepth: Int
    /// Live messages replaced by newer ones, because the broker took none.
    public var superseded: Int
    /// Messages that wait in the spool, that were replayed from it, and that were dropped from it at its bounds.
    public var spoolDepth, replayed, dropped: Int
    /// Messages from the broker that came too fast to be taken.
    public var incomingDropped: Int
    /// Topics that the broker doesn't let the gateway subscribe to.
    public var refusedSubscriptions: [String]
    /// Of the feeds to other programs that are on.
    public var feeds: [FeedCounts]

    public init(
        residentBytes: Int? = nil, anonymousBytes: Int? = nil, brokerOutages: Int = 0, queueDepth: Int = 0,
        superseded: Int = 0, spoolDepth: Int = 0, replayed: Int = 0, dropped: Int = 0, incomingDropped: Int = 0,
        refusedSubscriptions: [String] = [], feeds: [FeedCounts] = []
    ) {
        self.residentBytes = residentBytes
        self.anonymousBytes = anonymousBytes
        self.brokerOutages = brokerOutages
        self.queueDepth = queueDepth
        self.superseded = superseded
        self.spoolDepth = spoolDepth
        self.replayed = replayed
        self.dropped = dropped
        self.incomingDropped = incomingDropped
        self.refusedSubscriptions = refusedSubscriptions
        self.feeds = feeds
    }
}
