/// The pauses between attempts at something that fails: the first one, then twice as long each time, up to the longest.
///
/// The owner counts the failures since the last success. Connections that should be back within seconds have
/// ``Backoff`` instead.
public struct RetryPauses: Equatable, Sendable {
    private let first: Duration
    private let longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The same pause after each failure.
    public static func constant(_ pause: Duration) -> RetryPauses { RetryPauses(first: pause, longest: pause) }

    /// - Parameters:
    ///   - failures: those in a row before the one that has just come.
    ///   - asked: the time for which the other side asks not to be called. It counts up to the longest pause.
    public func pause(after failures: Int, asked: Duration = .zero) -> Duration {
        min(longest, max(asked, first * (1 << min(max(failures, 0), 12))))
    }
}
