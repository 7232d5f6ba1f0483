import GatewayReports
import ReceiverProtocol

/// Decides when which sentence is said. A sentence begins a second after the end of the last one. A
/// newer sentence replaces a waiting one of its kind. All events are published at once, said or not.
///
///     being said       next                    then
///     landing moved    distance, burst         the burst first, then the distance
///     burst            500 m, then 200 m       200 m
struct Speech: Equatable, Sendable {
    static let pause = Duration.seconds(1)
    /// A sentence that has waited for longer is not said any more.
    private static let longestWait = Duration.seconds(30)

    fileprivate struct Waiting: Equatable, Sendable {
        var announcement: Announcement
        var since: MonotonicTime
    }

    var quiet: Set<EventName>
    /// When the last sentence ends; nil before the first.
    private var endsAt: MonotonicTime?
    /// At most one of each kind.
    private var waiting: [Waiting] = []

    init(quiet: Set<EventName> = []) {
        self.quiet = quiet
    }

    /// When the next sentence may be said; nil if none waits.
    var deadline: MonotonicTime? { waiting.isEmpty ? nil : endsAt?.advanced(by: Self.pause) ?? .zero }

    /// - Returns: false if the configuration silences the event.
    mutating func queue(_ announcement: Announcement, at now: MonotonicTime) -> Bool {
        guard !quiet.contains(announcement.event) else { return false }
        waiting.removeAll { $0.announcement.event == announcement.event }
        waiting.append(Waiting(announcement: announcement, since: now))
        return true
    }

    /// An event is published without being said. A change of state makes a waiting sentence about an earlier state
    /// untrue, so that sentence is dropped, unless it tells a loss.
    mutating func overtake(by announcement: Announcement) {
        guard announcement.event == .stateChanged else { return }
        waiting.removeAll { $0.announcement.event == .stateChanged && !$0.isLoss }
    }

    /// The sentence whose turn has come, the most important first. Call once for each instant.
    /// - Parameter length: how long a voice takes to say a sentence.
    mutating func next(at now: MonotonicTime, length: (Announcement) -> Duration) -> Announcement? {
        waiting.removeAll {
            quiet.contains($0.announcement.event) || now.duration(since: $0.since) > Self.longestWait
        }
        guard let deadline, now >= deadline else { return nil }
        var first: Int?
        for index in waiting.indices where first.map({ waiting[$0].isBehind(waiting[index]) }) ?? true { first = index }
        guard let first else { return nil }
        let next = waiting.remove(at: first).announcement
        endsAt = now.advanced(by: length(next))
        return next
    }
}

extension Speech.Waiting {
    /// Of two equally important sentences the one that has waited longer comes first.
    fileprivate func isBehind(_ other: Speech.Waiting) -> Bool { importance < other.importance }

    /// Landing, burst and loss go first.
    private var importance: EventName.Importance {
        isLoss ? .high : announcement.event.importance
    }

    fileprivate var isLoss: Bool {
        guard case .stateChanged(let state, _, _) = announcement else { return false }
        return state == .waitingForAPRS || state == .noTelemetry
    }
}
