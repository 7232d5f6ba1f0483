import FlightMath
import GatewayReports
import ReceiverProtocol

/// Logs once that the gateway refuses a source's fixes, so that the crew does not look for the fault elsewhere.
struct CarRefusalLog: Equatable, Sendable {
    /// How long a source's fixes must have been refused before the log says so.
    private static let tellAfter = Duration.seconds(30)

    private struct Streak: Equatable, Sendable {
        var since: MonotonicTime
        var isTold = false
    }

    private var streaks: [CarSource: Streak] = [:]

    mutating func refused(_ refusal: CarFixRefusal, from source: CarSource, _ turn: inout Turn) {
        let now = turn.now.monotonic
        var streak = streaks[source] ?? Streak(since: now)
        if !streak.isTold, now.duration(since: streak.since) >= Self.tellAfter {
            streak.isTold = true
            turn.note(
                .warning, "the car's fixes are refused",
                facts: ["source": source.rawValue, "why": refusal.sentence(for: source)])
        }
        streaks[source] = streak
    }

    mutating func used(_ source: CarSource, _ turn: inout Turn) {
        guard let streak = streaks.removeValue(forKey: source), streak.isTold else { return }
        turn.note(.info, "the car's fixes are used again", facts: ["source": source.rawValue])
    }
}
