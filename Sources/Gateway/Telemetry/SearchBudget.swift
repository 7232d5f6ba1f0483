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

    /// The stored form: when the day began, milliseconds since 1970, and the number of its tunings.
    var text: String? { began.map { "\($0.millisecondsSince1970) \(count)" } }

    /// Adds the tunings of an earlier run.
    mutating func recall(_ text: String, at now: Moment) {
        let words = text.split(separator: " ").compactMap { Int64($0) }
        guard words.count == 2, 1...Int64(Self.mostPerDay) ~= words[1] else { return }
        var earlier = SearchBudget()
        (earlier.began, earlier.count) = (WallTime(millisecondsSince1970: words[0]), Int(words[1]))
        guard earlier.isSameDay(now) else { return }
        (began, count) = (earlier.began, count + earlier.count)
    }
}
