import FlightMath
import GatewayReports
import ReceiverProtocol

/// What `chase_event` tells: one of its events every ``HomeAssistantValues/spacing``, the first at once.
///
///     burst, landed, moved, receiver_lost    each, in order
///     landing_moved, when it is news         the newest of those that wait: the older ones are no longer true
///
/// At most ``limit`` wait; the oldest gives way, and is found on `<p>/event` like every other.
struct HomeAssistantEvents: Sendable {
    /// Everything else on the event topic is none of the entity's business.
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

    /// - Returns: the payload of the event that is told now.
    mutating func next(at now: MonotonicTime, in phrases: any Phrasebook) -> [UInt8]? {
        if let toldAt, now.duration(since: toldAt) < HomeAssistantValues.spacing { return nil }
        guard !waiting.isEmpty else { return nil }
        let report = waiting.removeFirst()
        toldAt = now
        var json = JSONText()
        json.field("event_type", report.announcement.name)
        json.field("text", report.sentence(in: phrases))
        json.field("at", report.at.wall)
        return json.object
    }

    /// What nobody could be told at the time is no news later.
    mutating func clear() {
        waiting = []
    }
}
