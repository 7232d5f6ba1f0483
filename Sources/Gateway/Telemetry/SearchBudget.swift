import FlightMath
import ReceiverProtocol

/// Limits the number of the search's tunings, because the receiver writes each to its flash. The store keeps the count
/// of the day.
struct SearchBudget: Equatable, Sendable {
    static let mostPerMinute = 10
    static let mostPerDay = 400
    private static let minute = Duration.seconds(60)
    private static let day = Duration.seconds(86_400)

    /// The tunings of the last minute.
    private var recent: [MonotonicTime] = []
    /// When the day of ``count`` began; nil before the first tuning.
    private var began: WallTime?
    private var count = 0

    init() {}

    /// Counts one tuning.
    mutating func spend(at now: Moment) {
        recent = recent.filter { now.monotonic.duration(since: $0) < Self.minute } + [now.monotonic]
        if !isSameDay(now) { (began, count) = (now.wall, 0) }
        count += 1
    }

    /// When the next tuning is allowed; nil if at once. One tuning is kept in reserve for a second attempt.
    func waitsUntil(_ now: Moment) -> MonotonicTime? {
        if isSameDay(now), count >= Self.mostPerDay - 1, let began {
            return now.monotonic.advanced(by: Self.day - now.wall.duration(since: began))
        }
        let last = recent.filter { now.monotonic.duration(since: $0) < Self.minute }
        return last.count >= Self.mostPerMinute - 1 ? last[0].advanced(by: Self.minute) : nil
    }

    /// A day that begins ahead of the clock was counted with a wrong clock, and is over.
    private func isSameDay(_ now: Moment) -> Bool {
        began.map { (Duration.zero..<Self.day).contains(now.wall.duration(since: $0)) } ?? false
    }

    /// Nil before the first tuning.
    var stored: StoredTunings? { began.map { StoredTunings(began: $0, count: count) } }

    /// Adds the tunings of an earlier run.
    mutating func recall(_ stored: StoredTunings, at now: Moment) {
        guard 1...Self.mostPerDay ~= stored.count else { return }
        var earlier = SearchBudget()
        (earlier.began, earlier.count) = (stored.began, stored.count)
        guard earlier.isSameDay(now) else { return }
        (began, count) = (earlier.began, count + earlier.count)
    }
}

/// The search's tunings of a day, in their stored form.
struct StoredTunings: StoredValue {
    /// When the day began.
    var began: WallTime
    var count: Int
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
