import Gateway

/// Decides what the end of a session means, and how long to wait for the next one.
///
/// Brokers hang up without a reason in three cases: they stop, another client uses our id (mosquitto 2.0.11 does not
/// say so in MQTT 5 either), or they forbid a message; ``HangUpTopics`` finds that one. The first attempt after a
/// hang-up follows at once, because a stopped broker refuses it. The rule judges only sessions in which every SUBSCRIBE
/// was answered.
///
/// | end | meaning | next attempt |
/// | --- | --- | --- |
/// | no connection, or a hang-up in the TLS handshake | the broker is away; hang-ups are forgotten | 0.25, 0.5, 1, 2, 2 … s |
/// | after the connection, before the last SUBACK | nothing | the same |
/// | the broker takes no login now | it is busy | 1, 2, 4 … 30 s |
/// | refused login, TLS, version, a message too large for us | somebody has to change something | 30 s |
/// | hang-up over a message that was alone under way | its topic is left out | at once |
/// | another hang-up | none yet | at once |
/// | 3rd to 5th in a row | none yet | 0.25, 0.5, 1 s |
/// | 6th to 8th in a row, or reason 0x8E | another client uses our id | 2 s, so that it learns of us |
/// | the next such | the same | 5 min |
///
/// Hang-ups are in a row if each session stood for less than 10 s (of a known rival: 10 min), and no attempt failed
/// between them.
struct ReconnectRule: Equatable {
    enum End {
        case hangUp
        /// DISCONNECT with reason 0x8E.
        case takenOver
        /// The broker ended the session and gave another reason.
        case reason
        /// The session did not end by the broker.
        case other
    }

    static let shortSession = Duration.seconds(10)
    static let rivalMemory = Duration.seconds(600)
    static let rivalHangUps = 6
    /// The other client counts hang-ups, too, and may have missed some. Its count must reach ``rivalHangUps`` before we
    /// leave.
    static let leavingHangUps = 9
    static let busyPause = Duration.seconds(1)
    static let rivalPause = Duration.seconds(300)

    /// Failed attempts and early ends since a session stood.
    private var failures = 0
    /// Index of the pause: 1 is the shortest; below 1 there is no pause.
    private var step = 0
    private var hangUps = 0
    var topics = HangUpTopics()

    private let times: BrokerTimes

    init(_ times: BrokerTimes = BrokerTimes()) {
        self.times = times
    }

    /// - Parameter isReached: the connection was established, but not the session.
    mutating func attemptFailed(isReached: Bool = false) {
        failures += 1
        step = failures
        guard !isReached else { return }
        hangUps = 0
        topics.brokerIsAway()
    }

    /// Called about once a second while a session stands.
    mutating func sessionStands(for duration: Duration) {
        if duration >= Self.shortSession { topics.sessionStands() }
    }

    /// - Parameters:
    ///   - underWay: the topics of the messages that may have made the broker end the session.
    ///   - alone: the suspected topic whose message was alone under way; nil if there was none.
    /// - Returns: whether another client uses our id.
    mutating func sessionEnded(
        _ end: End, stood: Duration, underWay: Set<String>, alone: String? = nil, at now: ContinuousClock.Instant
    ) -> Bool {
        if stood >= Self.shortSession { failures = 0 }
        let memory = hangUps >= Self.rivalHangUps ? Self.rivalMemory : Self.shortSession
        // Reason 0x8E names a rival, so its hang-ups are kept.
        if stood >= memory, end != .takenOver { hangUps = 0 }
        switch end {
        case .hangUp:
            if !topics.sessionEnded(underWay, alone: alone, at: now) { hangUps += 1 }
            if hangUps >= Self.rivalHangUps { topics.isRival() }
        case .takenOver:
            hangUps = hangUps < Self.rivalHangUps ? Self.rivalHangUps : Self.leavingHangUps
            topics.isRival()
        case .reason:
            hangUps = 0
            let isFound = topics.sessionEnded(underWay, alone: alone, at: now)
            if isFound { failures = 0 } else if stood < Self.shortSession { failures += 1 }
        case .other:
            hangUps = 0
            if stood < Self.shortSession { failures += 1 }
        }
        step = hangUps > 0 ? hangUps - 2 : failures
        return hangUps >= Self.rivalHangUps
    }

    /// The time until the next attempt.
    /// - Parameters:
    ///   - code: why the last attempt or session ended.
    ///   - random: 0 ..< 1; spreads the attempts of many gateways.
    func pause(after code: BrokerFailure.Code, random: Double) -> Duration {
        if code.needsMending { return times.refusalPause }
        if code == .takenOver, hangUps >= Self.leavingHangUps { return Self.rivalPause }
        guard step > 0 else { return .zero }
        let spread = 0.75 + random / 4
        if code == .busy { return min(times.refusalPause, Self.busyPause * (1 << min(step - 1, 5))) * spread }
        return min(times.longestPause, .milliseconds(250) * (1 << min(step - 1, 3))) * spread
    }
}
