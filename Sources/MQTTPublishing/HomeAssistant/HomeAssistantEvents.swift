import FlightMath
import GatewayReports
import ReceiverProtocol

/// The queue of the entity `chase_event`. It sends one event every ``HomeAssistantValues/spacing``, the first at once.
///
///     burst, landed, moved, receiver_lost    each, in order
///     landing_moved                          only if it is news; a newer one replaces the one that waits, which is no
///                                            longer true
///
/// At most ``limit`` events wait. A further one displaces the oldest, which still stands on `<p>/event`.
struct HomeAssistantEvents: Sendable {
    /// The entity ignores all other events of the event topic.
    private static let events = [EventName.burst, .landed, .landingMoved, .moved, .receiverLost]
    static let names = events.map(\.rawValue)
    static let limit = 8
    private static let superseding = EventName.landingMoved

    private var waiting: [AnnouncementReport] = []
    private var toldAt: MonotonicTime?

    var deadline: MonotonicTime? { waiting.isEmpty ? nil : toldAt?.advanced(by: HomeAssistantValues.spacing) }

    mutating func enqueue(_ report: AnnouncementReport) {
        let name = report.announcement.event
        guard Self.events.contains(name), report.isNews else { return }
        if name == Self.superseding { waiting.removeAll { $0.announcement.event == name } }
        if waiting.count >= Self.limit { waiting.removeFirst() }
        waiting.append(report)
    }

    /// - Returns: the payload of the event to send now; nil if none is due.
    mutating func next(at now: MonotonicTime) -> [UInt8]? {
        if let toldAt, now.duration(since: toldAt) < HomeAssistantValues.spacing { return nil }
        guard !waiting.isEmpty else { return nil }
        let report = waiting.removeFirst()
        toldAt = now
        var json = JSONText()
        json.field("event_type", report.announcement.name)
        json.field("text", report.text)
        json.field("at", report.at.wall)
        return json.object
    }

    /// Drops the events that could not be sent while the broker was away.
    mutating func clear() {
        waiting = []
    }
}
