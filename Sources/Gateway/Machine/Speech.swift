import GatewayReports
import ReceiverProtocol

/// Which events are to be said aloud: not those that somebody wants quiet, and none within 8 s of another that is no
/// less important. Every event is published all the same.
///
///     last said        next, within 8 s    is
///     landing moved    burst               said
///     burst            landing moved       not said
///     500 m to go      200 m to go         not said
struct Speech: Equatable, Sendable {
    /// A sentence takes some five seconds, and the driver some time to think.
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
