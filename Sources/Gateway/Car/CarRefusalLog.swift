import FlightMath
import GatewayReports
import ReceiverProtocol

/// Tells once, in the log, that the fixes of a source are refused: a crew must not look for the fault in the wrong place.
struct CarRefusalLog: Equatable, Sendable {
    /// Refusals are told when they have gone on for this long.
    private static let tellAfter = Duration.seconds(30)

    private struct Streak: Equatable, Sendable {
        var since: MonotonicTime
        var isTold = false
    }

    private var streaks: [CarSource: Streak] = [:]

    mutating func refused(_ source: CarSource, _ refusal: CarFixRefusal, _ turn: inout Turn) {
        let now = turn.now.monotonic
        var streak = streaks[source] ?? Streak(since: now)
        if !streak.isTold, now.duration(since: streak.since) >= Self.tellAfter {
            streak.isTold = true
            turn.note(
                .warning, "the car's position is told, and can't be used",
                ["source": source.rawValue, "why": refusal.sentence])
        }
        streaks[source] = streak
    }

    mutating func used(_ source: CarSource, _ turn: inout Turn) {
        guard let streak = streaks.removeValue(forKey: source), streak.isTold else { return }
        turn.note(.info, "the car's position can be used again", ["source": source.rawValue])
    }
}
