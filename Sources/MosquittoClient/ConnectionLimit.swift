/// How long each step of a connection may take: to connect, then TLS and the login, then the subscriptions.
///
/// A cell answers after seconds, a dead machine never. So the limit begins short and doubles after each round in which
/// an attempt ran out of time.
struct ConnectionLimit: Equatable {
    static let shortest = Duration.seconds(4)
    static let longest = Duration.seconds(32)

    /// The limit of the next attempt.
    private(set) var current: Duration
    /// The limit of the first attempt after a session.
    private var first: Duration

    /// - Parameter first: of the run's first attempt.
    init(first: Duration = shortest) {
        (current, self.first) = (first, first)
    }

    /// Every broker has failed, at least one because its time was over.
    mutating func roundTimedOut() { current = min(current * 2, Self.longest) }

    /// A session stood. The line may be slower next time, so its first limit is twice of what this one needed.
    /// - Parameter needed: the time of the slowest step.
    mutating func succeeded(needed: Duration) {
        first = max(first, min(needed * 2, Self.longest))
        current = first
    }
}
