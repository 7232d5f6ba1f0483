public import FlightMath
public import GatewayReports

/// An output for the gateway's reports, for example the page or the feeds to other programs.
public protocol ReportFeed: Sendable {
    /// Handles the next report. One task calls this for all reports, in order. It must return at once, so anything that
    /// waits for a socket must wait elsewhere, in a bounded queue.
    /// - Parameter now: by the corrected clock, as the report's own times are.
    func handle(_ report: Report, at now: Moment)
    /// The counters for health; empty if the feed counts nothing.
    var counts: [FeedCounts] { get }
}

extension ReportFeed {
    public var counts: [FeedCounts] { [] }
}
