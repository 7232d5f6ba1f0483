/// Waiting times between attempts: they grow up to a limit, and are spread so that many gateways don't knock at once.
public struct Backoff: Equatable, Sendable {
    private let first: Duration
    private let limit: Duration
    private var next = Duration.zero

    /// - Parameters:
    ///   - first: the second attempt's wait; the first attempt after a loss comes at once.
    ///   - limit: the longest wait.
    public init(first: Duration = .seconds(1), limit: Duration = .seconds(30)) {
        self.first = first
        self.limit = limit
    }

    /// The wait before the next attempt.
    /// - Parameter random: 0 ..< 1; the wait lies in the upper half of the current step.
    public mutating func delay(random: Double) -> Duration {
        let step = next
        // Slower than by doubling: a receiver that restarts is away for some seconds, and soon found again.
        next = min(limit, max(first, step * 3 / 2))
        return step * (0.5 + random / 2)
    }

    /// The link proved itself: the next loss is answered at once again.
    public mutating func reset() {
        next = .zero
    }
}
