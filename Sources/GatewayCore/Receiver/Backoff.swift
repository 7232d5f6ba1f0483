/// Waiting times between attempts: they double up to a limit, and are spread so that many gateways don't knock at once.
public struct Backoff: Equatable, Sendable {
    private let first: Double
    private let limit: Double
    private var next: Double

    /// - Parameters:
    ///   - first: the second attempt's wait, seconds; the first attempt after a loss comes at once.
    ///   - limit: the longest wait, seconds.
    public init(first: Double = 1, limit: Double = 30) {
        self.first = first
        self.limit = limit
        next = 0
    }

    /// The wait before the next attempt, seconds.
    /// - Parameter random: 0 ..< 1; the wait lies in the upper half of the current step.
    public mutating func delay(random: Double) -> Double {
        let step = next
        next = min(limit, max(first, step * 2))
        return step * (0.5 + random / 2)
    }

    /// The link proved itself: the next loss is answered at once again.
    public mutating func reset() {
        next = 0
    }
}
