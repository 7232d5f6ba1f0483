import Gateway
import GatewayReports
import ReceiverProtocol

/// Says when to publish retained topics again, so that the line can prove what it carries.
///
/// A flight alone seldom has enough messages at once for a proof. The repeated ones are short, so positions go between
/// them, also over a line that proves nothing.
///
/// | situation | action |
/// | --- | --- |
/// | a long message has waited for ``firstPause`` | a try: rounds of all topics, each when the last one is sent |
/// | as many bytes as the message has are sent, or the time of a try is over | the try ends |
/// | it has proven nothing | the next try, after 10, 20, 40 … 320 s |
struct LineProbe {
    static let firstPause = Duration.seconds(5)
    /// Of smaller messages the window holds too few bytes for a proof.
    static let leastBytes = 256
    /// The pauses between two tries.
    private static let retry = RetryPauses(first: .seconds(10), longest: .seconds(320))
    /// The window grows with each round trip, and needs some before it holds enough for a proof.
    private static let roundTrips = 5

    private var nextAt: MonotonicTime?
    private var tries = 0
    private var endsAt: MonotonicTime?
    /// The bytes that this try may still send.
    private var left = 0

    /// Call this when a long message waits and the session has room.
    /// - Parameter bytes: the message's.
    /// - Returns: whether to publish a round now. Then call ``sent(_:)``.
    mutating func wantsRound(for bytes: Int, _ roundTrip: Duration, at now: MonotonicTime) -> Bool {
        if let endsAt, now < endsAt { return left > 0 }
        guard let nextAt else {
            self.nextAt = now.advanced(by: Self.firstPause)
            return false
        }
        guard now >= nextAt else { return false }
        (left, endsAt) = (bytes, now.advanced(by: BrokerLine.longestHold + roundTrip * Self.roundTrips))
        self.nextAt = endsAt?.advanced(by: Self.retry.pause(after: tries))
        tries += 1
        return true
    }

    /// - Parameter bytes: of a round.
    mutating func sent(_ bytes: Int) { left -= max(bytes, 1) }
}
