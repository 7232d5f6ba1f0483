/// Sends fewer messages where the broker may limit their number: some brokers end the session over too many, and give no
/// reason.
///
/// It begins when the sessions end under any client id, so that no other client is the cause.
///
/// | a session's end | the next session |
/// | --- | --- |
/// | the first such | one message in ``shortest`` |
/// | it stood twice as long as without a pace, or longer | half as many |
/// | it did not | no pace: the number of messages is not the cause |
struct SendingPace: Equatable {
    static let shortest = Duration.milliseconds(300)
    static let longest = Duration.milliseconds(2400)

    /// The time between two messages; nil for no pace.
    private(set) var interval: Duration?
    /// How long the last session without a pace stood; nil before the first.
    private var unpaced: Duration?
    private var isGivenUp = false

    /// A session ended for which nobody else is to blame.
    mutating func sessionEnded(stood: Duration) {
        guard !isGivenUp else { return }
        guard let interval, let unpaced else {
            (self.interval, self.unpaced) = (Self.shortest, stood)
            return
        }
        guard stood >= unpaced * 2 else {
            (self.interval, isGivenUp) = (nil, true)
            return
        }
        self.interval = min(interval * 2, Self.longest)
    }
}
