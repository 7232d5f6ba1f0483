public import FlightMath
public import GatewayReports

/// Somebody who renders the gateway's reports: the page, another program. MQTT is one more of them.
public protocol ReportFeed: Sendable {
    /// Handles the next report. Called for every one, in order, from one task; must return at once, so whatever waits for a
    /// socket does so elsewhere, bounded.
    func handle(_ report: Report, at now: Moment)
    /// For health; nothing where there is nothing to count.
    var counts: [FeedCounts] { get }
}

extension ReportFeed {
    public var counts: [FeedCounts] { [] }
}
