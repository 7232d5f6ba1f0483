/// Waits between attempts to reach the broker: 1, 2, 4 … 30 s, spread; 30 s where trying soon can't help.
///
/// A session proves itself by lasting: two clients with one id throw each other out at once, over and over, and
/// mosquitto 2.0.11 closes without saying why.
struct RetryPace: Equatable {
    /// The longest wait, seconds.
    static let limit = 30.0
    /// A session that ends sooner, seconds, counts as thrown out.
    static let shortSession = 10.0
    /// Short sessions in a row that mean another client has the id.
    static let suspicious = 3

    private var next = 0.5
    private var shortSessions = 0

    /// True when sessions keep ending right after they began.
    var looksTakenOver: Bool { shortSessions >= Self.suspicious }

    /// A session ended after `seconds`.
    mutating func sessionEnded(after seconds: Double) {
        if seconds < Self.shortSession {
            shortSessions += 1
        } else {
            self = RetryPace()
        }
    }

    /// Seconds until the next attempt.
    /// - Parameter random: 0 ..< 1.
    mutating func delay(after failure: MosquittoFailure, random: Double) -> Double {
        guard !failure.needsPatience else { return Self.limit }
        defer { next = min(Self.limit, next * 2) }
        return min(Self.limit, next * (1 + random))
    }
}
