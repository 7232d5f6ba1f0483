/// The waits between attempts. They grow up to a limit, and are random, so that many gateways don't connect at once.
public struct Backoff: Equatable, Sendable {
    private let first: Duration
    private let limit: Duration
    private var next = Duration.zero

    /// - Parameters:
    ///   - first: the wait before the second attempt. The first attempt after a loss comes at once.
    ///   - limit: the longest wait.
    public init(first: Duration = .seconds(1), limit: Duration = .seconds(30)) {
        self.first = first
        self.limit = limit
    }

    /// The wait before the next attempt.
    /// - Parameter random: 0 ..< 1. Chooses the wait within the upper half of the current step.
    public mutating func delay(random: Double) -> Duration {
        let step = next
        // Grow slower than by doubling: a receiver that restarts is back after some seconds.
        next = min(limit, max(first, step * 3 / 2))
        return step * (0.5 + random / 2)
    }

    /// The link works. After the next loss the first attempt comes at once again.
    public mutating func reset() {
        next = .zero
    }
}
