/// Waits between attempts to reach the broker: 1, 2, 4 … 30 s, spread; 30 s where trying soon can't help.
struct RetryPace: Equatable {
    static let limit = 30.0

    private var next = 0.5

    /// Seconds until the next attempt.
    /// - Parameter random: 0 ..< 1.
    mutating func delay(after failure: MosquittoFailure, random: Double) -> Double {
        guard !failure.needsPatience else { return Self.limit }
        defer { next = min(Self.limit, next * 2) }
        return next * (1 + random)
    }

    mutating func reset() {
        next = 0.5
    }
}
