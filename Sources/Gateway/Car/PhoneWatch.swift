import FlightMath
import GatewayReports
import ReceiverProtocol

/// Logs once that nothing comes on the phone's topic. The phone may publish on another topic.
struct PhoneWatch: Equatable, Sendable {
    /// The log entry comes after this time. A phone that moves publishes more often.
    private static let limit = Duration.seconds(300)

    /// Nil without a phone, and after its first message or the log entry.
    private var topic: String?
    private(set) var deadline: MonotonicTime?

    init(_ topic: String?) { self.topic = topic }

    mutating func heard(_ source: CarSource) {
        if source == .owntracks { (topic, deadline) = (nil, nil) }
    }

    mutating func follow(_ turn: inout Turn) {
        guard let topic else { return }
        let due = deadline ?? turn.now.monotonic.advanced(by: Self.limit)
        deadline = due
        guard turn.now.monotonic >= due else { return }
        (self.topic, deadline) = (nil, nil)
        turn.note(
            .warning, "nothing has come from the phone in the car",
            facts: [
                "topic": topic,
                "why": "does it publish there, on this broker? sondygo2mqtt doctor names the topics of phones",
            ])
    }
}
