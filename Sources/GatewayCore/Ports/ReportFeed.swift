/// Somebody who renders the gateway's reports: the page, another program. MQTT is one more of them.
public protocol ReportFeed: Sendable {
    /// Takes the next report. Called for every one, in order, from one task; must return at once, so whatever waits for a
    /// socket does so elsewhere, bounded.
    func take(_ report: Report, at now: Moment)
}
