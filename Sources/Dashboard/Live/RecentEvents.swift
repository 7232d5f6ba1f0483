import FlightMath
import GatewayReports
import ReceiverProtocol

/// The last events, for a page that is opened after them: `/api/events/last`.
struct RecentEvents {
    /// Beyond it the oldest event is dropped.
    static let limit = 50

    private var events: [Report] = []

    /// Keeps the report if it is an event.
    mutating func add(_ report: Report) {
        guard case .announcement = report else { return }
        if events.count == Self.limit { events.removeFirst() }
        events.append(report)
    }

    /// The events as on MQTT, the oldest first.
    func answer(at now: MonotonicTime) -> Answer {
        let payloads = events.map { $0.payload(at: now) }
        return .json(Array("[".utf8) + payloads.joined(separator: Array(",\n".utf8)) + Array("]".utf8))
    }
}
