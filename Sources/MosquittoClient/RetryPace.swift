/// Waits between attempts to reach the broker: 0.25, 0.5, 1, 2, 2 … s, spread, so that a broker that returns has us
/// within three seconds however long it was away; longer where somebody has to change something first.
struct RetryPace: Equatable {
    /// The longest wait for a broker that is just not there.
    static let limit = Duration.seconds(2)
    /// Between two attempts after a refusal.
    static let patience = Duration.seconds(30)
    /// Between two attempts while another client has our id.
    static let truce = Duration.seconds(300)
    /// A session that lasted longer than this makes the pace begin anew.
    static let provenSession = Duration.seconds(10)

    private static let first = Duration.milliseconds(250)
    private var next = first

    mutating func sessionEnded(after duration: Duration) {
        if duration >= Self.provenSession { next = Self.first }
    }

    /// The time until the next attempt.
    /// - Parameters:
    ///   - isKnownClash: the other client has been told of already, and this one has had its turn to tell it too.
    ///   - random: 0 ..< 1.
    mutating func delay(after failure: MosquittoFailure, isKnownClash: Bool = false, random: Double) -> Duration {
        switch failure.code {
        case .refused, .tls, .configuration, .oversized: return Self.patience
        case .takenOver where isKnownClash: return Self.truce
        case .takenOver, .unreachable, .lost, .timedOut: break
        }
        defer { next = min(Self.limit, next * 2) }
        return next * (0.75 + random / 4)
    }
}
