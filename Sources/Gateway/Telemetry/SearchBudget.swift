import FlightMath
import ReceiverProtocol

/// Limits the number of the search's tunings, because the receiver writes each to its flash. The store keeps the count
/// of the day.
struct SearchBudget: Equatable, Sendable {
    static let mostPerMinute = 10
    static let mostPerDay = 400
    private static let minute = Duration.seconds(60)

    /// The tunings of the last minute.
    private var recent: [MonotonicTime] = []
    /// The tunings of the last day with any; nil before the first. The store keeps it.
    private(set) var stored: StoredTunings?

    init() {}

    /// Counts one tuning.
    mutating func spend(at now: Moment) {
        recent = recent.filter { now.monotonic.duration(since: $0) < Self.minute } + [now.monotonic]
        var today = today(now) ?? StoredTunings(began: now.wall, count: 0)
        today.count += 1
        stored = today
    }

    /// When the next tuning is allowed; nil if at once. One tuning is kept in reserve for a second attempt.
    func waitsUntil(_ now: Moment) -> MonotonicTime? {
        if let today = today(now), today.count >= Self.mostPerDay - 1 {
            return now.monotonic.advanced(by: StoredTunings.day - now.wall.duration(since: today.began))
        }
        let last = recent.filter { now.monotonic.duration(since: $0) < Self.minute }
        return last.count >= Self.mostPerMinute - 1 ? last[0].advanced(by: Self.minute) : nil
    }

    private func today(_ now: Moment) -> StoredTunings? {
        guard let stored, stored.lasts(at: now.wall) else { return nil }
        return stored
    }

    /// Adds the tunings of an earlier run.
    mutating func recall(_ stored: StoredTunings, at now: Moment) {
        guard 1...Self.mostPerDay ~= stored.count, stored.lasts(at: now.wall) else { return }
        self.stored = StoredTunings(began: stored.began, count: stored.count + (self.stored?.count ?? 0))
    }
}

/// The search's tunings of a day, in their stored form.
struct StoredTunings: Equatable, StoredValue {
    static let day = Duration.seconds(86_400)

    /// When the day began.
    var began: WallTime
    var count: Int

    /// A day that begins ahead of the clock was counted with a wrong clock, and is over.
    func lasts(at now: WallTime) -> Bool { (Duration.zero..<Self.day).contains(now.duration(since: began)) }
}

extension StoredTunings {
    /// - Parameter text: `1767268800000 12`.
    init?(earlier text: String) {
        let words = text.split(separator: " ").map { Int64($0) }
        guard words.count == 2, let began = words[0], let count = words[1].flatMap({ Int(exactly: $0) }) else {
            return nil
        }
        self.init(began: WallTime(millisecondsSince1970: began), count: count)
    }
}
