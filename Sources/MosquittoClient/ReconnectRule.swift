import Gateway

/// Decides what the end of a session means, and how long to wait for the next one.
///
/// Sessions end without a reason in five cases: the broker stops, another client uses our id (mosquitto 2.0.11 does not
/// say so in MQTT 5 either), the broker forbids a message (``HangUpTopics`` finds that one), it limits the number of
/// messages, or the line is cut. The first attempt after a hang-up follows at once, because a stopped broker refuses it.
/// Another client is blamed only after a trial: a session under another client id. The rule judges only sessions in
/// which every SUBSCRIBE was answered.
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
/// | 6th in a row | the next session is a trial | 2 s |
/// | the trial stands longer and sends as much as each of those, or is refused | another client uses our id | 2 s |
/// | the trial ends, too | nobody else is to blame: ``SendingPace`` | 0.25 … 2 s |
/// | reason 0x8E | another client uses our id | 2 s, so that it learns of us |
/// | the next such, up to the 8th in a row | the same | the same |
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

    /// Who is to blame for sessions that end without a reason.
    enum Blame: Equatable {
        case nobody
        /// The next session is a trial.
        case onTrial
        /// Another client uses our id.
        case rival
        /// Sessions under another client id end as well.
        case noClient
    }

    /// What a trial has to show against another client.
    struct Trial: Equatable {
        /// It stands so long after it has sent ``messages``.
        var duration: Duration
        /// A session that sends less says nothing about a limit on their number.
        var messages: Int
        /// Brokers count messages in a second or a minute. So a trial that stood as long has met no limit, however
        /// little there was to send.
        static let longest = Duration.seconds(60)
    }

    static let shortSession = Duration.seconds(10)
    static let rivalMemory = Duration.seconds(600)
    static let rivalHangUps = 6
    /// The other client counts hang-ups, too, and may have missed some. Its count must reach ``rivalHangUps`` before we
    /// leave.
    static let leavingHangUps = 9
    static let shortestPause = Duration.milliseconds(250)
    static let busyPause = Duration.seconds(1)
    static let rivalPause = Duration.seconds(300)

    /// Failed attempts and early ends since a session stood.
    private var failures = 0
    /// Index of the pause: 1 is the shortest; below 1 there is no pause.
    private var step = 0
    private var hangUps = 0
    /// How long the longest session of the row stood.
    private var longest = Duration.zero
    /// How long the shortest session of the row stood; nil without one.
    private var shortest: Duration?
    /// The messages that the busiest session of the row sent.
    private var mostSent = 0
    private(set) var blame = Blame.nobody
    var pace = SendingPace()
    /// The broker of the last session, as the configuration names it.
    private var broker: String?
    var topics = HangUpTopics()

    private let times: BrokerTimes

    init(_ times: BrokerTimes = BrokerTimes()) {
        self.times = times
    }

    /// nil if the next session is no trial.
    var trial: Trial? {
        blame == .onTrial ? Trial(duration: longest * 3 / 2 + .seconds(1), messages: mostSent) : nil
    }

    /// - Parameter isReached: the connection was established, but not the session.
    mutating func attemptFailed(isReached: Bool = false) {
        failures += 1
        step = failures
        guard !isReached else { return }
        endRow()
        topics.brokerIsAway()
    }

    /// - Parameter broker: its name in the configuration.
    mutating func sessionBegins(with broker: String) {
        if let last = self.broker, last != broker { pace.brokerChanged() }
        self.broker = broker
    }

    private mutating func endRow() {
        (hangUps, longest, shortest, mostSent) = (0, .zero, nil, 0)
        if blame != .noClient { blame = .nobody }
    }

    /// The trial stood, or its login was refused, so that nothing speaks against another client.
    mutating func trialAccusesRival() {
        blame = .rival
        topics.isRival()
    }

    /// The trial ended as the sessions before it.
    mutating func trialEnded(stood: Duration) {
        // With little to send a session stands longer, so the busiest one shows what a limit does without a pace.
        pace.sessionEnded(stood: min(shortest ?? stood, stood))
        endRow()
        blame = .noClient
        failures += 1
        step = failures
    }

    /// Called about once a second while a session stands.
    mutating func sessionStands(for duration: Duration) {
        if duration >= Self.shortSession { topics.sessionStands() }
    }

    /// - Parameters:
    ///   - sent: how many messages the session sent.
    ///   - underWay: the topics of the messages that may have made the broker end the session.
    ///   - alone: the suspected topic whose message was alone under way; nil if there was none.
    /// - Returns: whether another client uses our id.
    mutating func sessionEnded(
        _ end: End, stood: Duration, sent: Int = 0, underWay: Set<String>, alone: String? = nil,
        at now: ContinuousClock.Instant
    ) -> Bool {
        if stood >= Self.shortSession { failures = 0 }
        let memory = hangUps >= Self.rivalHangUps ? Self.rivalMemory : Self.shortSession
        // Reason 0x8E names a rival, so its hang-ups are kept.
        if stood >= memory, end != .takenOver { endRow() }
        if stood >= Self.rivalMemory, blame == .noClient { blame = .nobody }
        switch end {
        case .hangUp: hungUp(stood, sent, underWay, alone: alone, at: now)
        case .takenOver:
            hangUps = hangUps < Self.rivalHangUps ? Self.rivalHangUps : Self.leavingHangUps
            blame = .rival
            topics.isRival()
        case .reason:
            endRow()
            let isFound = topics.sessionEnded(underWay, alone: alone, at: now)
            if isFound { failures = 0 } else if stood < Self.shortSession { failures += 1 }
        case .other:
            endRow()
            if stood < Self.shortSession { failures += 1 }
        }
        step = hangUps > 0 ? hangUps - 2 : failures
        return blame == .rival
    }

    private mutating func hungUp(
        _ stood: Duration, _ sent: Int, _ underWay: Set<String>, alone: String?, at now: ContinuousClock.Instant
    ) {
        let isFound = topics.sessionEnded(underWay, alone: alone, at: now)
        guard blame != .noClient else {
            if !isFound { pace.sessionEnded(stood: stood) }
            if stood < Self.shortSession { failures += 1 }
            return
        }
        guard !isFound else { return }
        hangUps += 1
        (longest, shortest) = (max(longest, stood), min(shortest ?? stood, stood))
        mostSent = max(mostSent, sent)
        if hangUps >= Self.rivalHangUps, blame == .nobody { blame = .onTrial }
        if blame == .rival { topics.isRival() }
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
        let pauses =
            code == .busy
            ? RetryPauses(first: Self.busyPause, longest: times.refusalPause)
            : RetryPauses(first: Self.shortestPause, longest: times.longestPause)
        return pauses.pause(after: step - 1) * spread
    }
}
