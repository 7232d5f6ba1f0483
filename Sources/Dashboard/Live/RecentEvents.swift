import FlightMath
import GatewayReports
import ReceiverProtocol

/// The last events, for a page that is opened after them: `/api/events/last`.
struct RecentEvents {
    /// Beyond it the oldest event is dropped.
    static let limit = 50

    private var events: [AnnouncementReport] = []

    /// Keeps the report if it is an event.
    mutating func add(_ report: Report) {
        guard case .announcement(let event) = report else { return }
        if events.count == Self.limit { events.removeFirst() }
        events.append(event)
    }

    /// The events as on MQTT, the oldest first. Those from before the clock was set have their times by the clock as it is
    /// now, or they would seem hours old.
    func answer(at now: Moment) -> Answer {
        let payloads = events.map { event in
            var event = event
            if !event.at.isClockSynced { event.at = now.earlier(at: event.at.monotonic) }
            return Report.announcement(event).payload(at: now.monotonic)
        }
        return .json(Array("[".utf8) + payloads.joined(separator: Array(",\n".utf8)) + Array("]".utf8))
    }
}
