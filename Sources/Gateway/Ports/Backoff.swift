/// The waits between attempts to connect. They grow up to a limit, and are random, so that many gateways don't connect
/// at once. Unlike ``RetryPauses`` the first attempt comes at once, because most connections are back by then.
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
    /// - Parameters:
    ///   - random: 0 ..< 1. Chooses the wait within the upper half of the current step.
    ///   - brief: cuts this step; nil does not. The steps grow on all the same.
    public mutating func delay(random: Double, atMost brief: Duration? = nil) -> Duration {
        let step = min(next, brief ?? limit)
        // Grow slower than by doubling: a receiver that restarts is back after some seconds.
        next = min(limit, max(first, next * 3 / 2))
        return step * (0.5 + random / 2)
    }

    /// The link works. After the next loss the first attempt comes at once again.
    public mutating func reset() {
        next = .zero
    }
}
