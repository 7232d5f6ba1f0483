import DequeModule
import GatewayReports

/// The longest message that the line has proven to carry within ``BrokerLine/longestHold``.
///
/// What was sent after a moment and is acknowledged now has passed in between. The time has a round trip in it, too. The
/// quickest answer of the session tells how long that is, and how many bytes it includes.
///
/// | line | a message is proven by |
/// | --- | --- |
/// | near | an eighth of its bytes, carried in an eighth of the time |
/// | another | half of them in half of the time: a mobile network passes a burst of some kB at once, and then little |
///
/// The proof is void once an acknowledgement comes a second later than the proof promises.
struct LineProof {
    /// No mobile network answers as fast.
    static let nearRoundTrip = Duration.milliseconds(10)
    private static let (nearShare, share) = (8, 2)
    /// The most messages that are remembered. With more, the oldest are forgotten, and less is proven.
    private static let mostSends = 256
    /// An acknowledgement may be as much later without a slower line: the broker has other work, too.
    private static let slack = Duration.seconds(1)

    private(set) var bytes = 0
    /// When messages were sent, and the bytes sent before each.
    private var sends: Deque<(at: ContinuousClock.Instant, before: Int)> = []
    private var quickest: (time: Duration, bytes: Int)?

    /// The broker has answered so many bytes after this time.
    mutating func answered(_ bytes: Int, after time: Duration) {
        if quickest.map({ time < $0.time }) ?? true { quickest = (time, bytes) }
    }

    mutating func sent(after before: Int, at now: ContinuousClock.Instant) {
        if sends.count == Self.mostSends { sends.removeFirst() }
        sends.append((now, before))
    }

    /// A message was acknowledged.
    /// - Parameters:
    ///   - time: since it was sent.
    ///   - queued: its bytes, and those that were under way when it was sent.
    ///   - delivered: the bytes that the broker has, of all that were sent in the session.
    mutating func acknowledged(
        after time: Duration, queued: Int, delivered: Int, at now: ContinuousClock.Instant
    ) {
        answered(queued, after: time)
        guard let quickest else { return }
        let promised = BrokerLine.longestHold * (Double(queued) / Double(max(bytes, 1)))
        if bytes > 0, time > quickest.time + promised + Self.slack {
            bytes = 0
            sends.removeAll()
        }
        let share = quickest.time < Self.nearRoundTrip ? Self.nearShare : Self.share
        let window = BrokerLine.longestHold / share + quickest.time
        while let first = sends.first, now - first.at > window { sends.removeFirst() }
        if let first = sends.first { bytes = max(bytes, (delivered - first.before - quickest.bytes) * share) }
    }
}
