/// The part of health that the process measures; the machine cannot.
public struct ProcessHealth: Equatable, Sendable {
    /// Resident and anonymous memory, bytes; nil if the system doesn't report it.
    public var residentBytes, anonymousBytes: Int?
    /// How often the broker's connection was lost.
    public var brokerOutages: Int
    /// How long there has been no session with the broker; nil while there is one.
    public var brokerAway: Duration?
    /// The line to the broker; nil without a session.
    public var brokerLine: BrokerLine?
    /// The server to which the broker has sent its clients last; nil if it named none.
    public var otherBroker: String?
    /// Messages that wait for the broker.
    public var queueDepth: Int
    /// Live messages that newer ones replaced while the broker accepted none.
    public var superseded: Int
    /// Messages that wait in the spool, that were replayed from it, and that were dropped at its bounds.
    public var spoolDepth, replayed, dropped: Int
    /// Rows of the store that could not be read and were left out.
    public var rowsLeftOut: Int
    /// Messages of the broker that were dropped because they came too fast.
    public var incomingDropped: Int
    /// The topics whose subscription the broker refused.
    public var refusedSubscriptions: [String]
    /// The counters of the enabled feeds to other programs.
    public var feeds: [FeedCounts]

    public init(
        residentBytes: Int? = nil, anonymousBytes: Int? = nil, brokerOutages: Int = 0,
        brokerAway: Duration? = nil, brokerLine: BrokerLine? = nil, otherBroker: String? = nil, queueDepth: Int = 0,
        superseded: Int = 0, spoolDepth: Int = 0, replayed: Int = 0, dropped: Int = 0, rowsLeftOut: Int = 0,
        incomingDropped: Int = 0, refusedSubscriptions: [String] = [], feeds: [FeedCounts] = []
    ) {
        self.residentBytes = residentBytes
        self.anonymousBytes = anonymousBytes
        self.brokerOutages = brokerOutages
        self.brokerAway = brokerAway
        self.brokerLine = brokerLine
        self.otherBroker = otherBroker
        self.queueDepth = queueDepth
        self.superseded = superseded
        self.spoolDepth = spoolDepth
        self.replayed = replayed
        self.dropped = dropped
        self.rowsLeftOut = rowsLeftOut
        self.incomingDropped = incomingDropped
        self.refusedSubscriptions = refusedSubscriptions
        self.feeds = feeds
    }
}
