import FlightMath
import ReceiverProtocol

/// A gap that earlier fetches have left open.
struct OpenGap: Equatable, Sendable {
    private(set) var gap: TrackGap
    /// The number of fetches that did not reach the gap's end.
    private(set) var rounds: Int
    /// When to fetch it.
    private(set) var dueAt: MonotonicTime

    init(_ gap: TrackGap, rounds: Int, dueAt: MonotonicTime) {
        (self.gap, self.rounds, self.dueAt) = (gap, rounds, dueAt)
    }

    /// Adds another gap. The rounds are those of the later end.
    mutating func join(_ other: TrackGap, rounds others: Int = 0) {
        let end = gap.until
        gap = gap.joined(other)
        if other.until == end {
            rounds = max(rounds, others)
        } else if other.until == gap.until {
            rounds = others
        }
    }

    /// It is not fetched before `time`.
    mutating func wait(until time: MonotonicTime) { dueAt = max(dueAt, time) }

    /// The part after SondeHub's newest record; nil if no whole second is left.
    func rest(after newest: WallTime) -> OpenGap? {
        gap.rest(after: newest).map { OpenGap($0, rounds: rounds, dueAt: dueAt) }
    }
}
