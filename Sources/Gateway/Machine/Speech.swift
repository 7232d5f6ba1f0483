import GatewayReports
import ReceiverProtocol

/// Decides which events are spoken. It skips events that the configuration silences, and events within 8 s after one
/// that is at least as important. All events are published.
///
///     last spoken      next, within 8 s    result
///     landing moved    burst               spoken
///     burst            landing moved       not spoken
///     500 m to go      200 m to go         not spoken
struct Speech: Equatable, Sendable {
    /// A sentence takes some five seconds, and the driver needs time to think.
    static let spacing = Duration.seconds(8)

    var quiet: Set<EventName>
    private var saidAt: MonotonicTime?
    private var importance = EventName.Importance.low

    init(quiet: Set<EventName> = []) {
        self.quiet = quiet
    }

    mutating func says(_ event: EventName, at now: MonotonicTime) -> Bool {
        guard !quiet.contains(event) else { return false }
        if let saidAt, now.duration(since: saidAt) < Self.spacing, event.importance <= importance { return false }
        (saidAt, importance) = (now, event.importance)
        return true
    }
}
