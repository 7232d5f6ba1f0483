import Gateway

/// Decides what the end of a session means, and how long to wait for the next one.
///
/// Brokers hang up without a reason in three cases: they stop, another client uses our id (mosquitto 2.0.11 does not
/// say so in MQTT 5 either), or a message is too large for them. The first attempt after a hang-up follows at once,
/// because a stopped broker refuses it. The rule judges only sessions in which every SUBSCRIBE was answered.
///
/// | end | meaning | next attempt |
/// | --- | --- | --- |
/// | no connection | the broker is away; hang-ups and the learned limit are forgotten | 0.25, 0.5, 1, 2, 2 … s |
/// | after the connection, before the last SUBACK | nothing | the same |
/// | refused login, TLS, version, a message too large for us | somebody has to change something | 30 s |
/// | hang-up | none yet | at once |
/// | 2nd in a row | a message that was unacknowledged both times may be too large | at once |
/// | 3rd to 5th in a row | the same | 0.25, 0.5, 1 s |
/// | 6th to 8th in a row, or reason 0x8E | another client uses our id | 2 s, so that it learns of us |
/// | the next such | the same | 5 min |
///
/// Hang-ups are in a row if each session stood for less than 10 s (of a known rival: 10 min), and no attempt failed
/// between them.
///
/// | a large message (1 kB or more) | limit |
/// | --- | --- |
/// | unacknowledged at two hang-ups in a row | below its size, on trial: the next session holds such messages back |
/// | that session stands for 5 s | the limit is proven; the messages are dropped |
/// | a hang-up all the same | a smaller message, until the 6th hang-up ends the trial |
/// | reason 0x95 | proven at once |
///
/// Of several such messages the largest counts. If a limit comes from the same topic as the one before, it is a quarter
/// below the message's size: a predicted path changes its size each time.
struct ReconnectRule: Equatable {
    /// A message that was sent to the broker.
    struct Message: Equatable {
        var topic: String
        /// The packet's size.
        var bytes: Int
    }

    enum End {
        case hangUp
        /// DISCONNECT with reason 0x8E.
        case takenOver
        /// DISCONNECT with reason 0x95.
        case tooLarge
        case other
    }

    /// No broker has a limit below this many bytes.
    static let leastLimit = 1024
    static let proof = Duration.seconds(5)
    static let shortSession = Duration.seconds(10)
    static let rivalMemory = Duration.seconds(600)
    static let rivalHangUps = 6
    /// The other client counts hang-ups, too, and may have missed some. Its count must reach ``rivalHangUps`` before we
    /// leave.
    static let leavingHangUps = 9
    static let longestPause = Duration.seconds(2)
    static let refusalPause = Duration.seconds(30)
    static let rivalPause = Duration.seconds(300)

    /// Failed attempts and early ends since a session stood.
    private var failures = 0
    /// Index of the pause: 1 is the shortest; below 1 there is no pause.
    private var step = 0
    private var hangUps = 0
    /// Large messages that were unacknowledged at the last hang-up.
    private var suspects: [Message] = []
    private var limit: Int?
    private var limitTopic: String?
    private var isProven = false

    /// The largest packet that the broker accepts, in bytes; nil if no limit is proven.
    var provenLimit: Int? { isProven ? limit : nil }
    /// Larger messages wait until the session has stood for ``proof``; nil if no limit is on trial.
    var trialLimit: Int? { isProven ? nil : limit }

    init() {}

    /// - Parameter isReached: the connection was established, but not the session.
    mutating func attemptFailed(isReached: Bool = false) {
        let count = failures + 1
        if !isReached { self = ReconnectRule() }
        (failures, step) = (count, count)
    }

    /// Called about once a second while a session stands.
    mutating func sessionStands(for duration: Duration) {
        if duration >= Self.proof, limit != nil { isProven = true }
    }

    /// The broker reported that this message is too large.
    mutating func refused(_ message: Message) {
        lower(to: message)
        isProven = true
    }

    /// - Parameter unacknowledged: messages that may have made the broker hang up.
    /// - Returns: whether another client uses our id.
    mutating func sessionEnded(_ end: End, stood: Duration, unacknowledged: [Message]) -> Bool {
        if stood >= Self.shortSession { failures = 0 }
        let memory = hangUps >= Self.rivalHangUps ? Self.rivalMemory : Self.shortSession
        // Reason 0x8E names a rival, so its hang-ups are kept.
        if stood >= memory, end != .takenOver { hangUps = 0 }
        let large = unacknowledged.filter { $0.bytes >= Self.leastLimit }
        switch end {
        case .hangUp:
            hangUps += 1
            if hangUps < Self.rivalHangUps { suspect(large) } else { endTrial() }
        case .takenOver:
            hangUps = hangUps < Self.rivalHangUps ? Self.rivalHangUps : Self.leavingHangUps
            endTrial()
        case .tooLarge:
            hangUps = 0
            failures += 1
            if let largest = large.max(by: { $0.bytes < $1.bytes }) { refused(largest) }
        case .other:
            hangUps = 0
            if stood < Self.shortSession { failures += 1 }
        }
        step = hangUps > 0 ? hangUps - 2 : failures
        return hangUps >= Self.rivalHangUps
    }

    private mutating func suspect(_ large: [Message]) {
        let again = large.filter { message in suspects.contains { $0.topic == message.topic } }
        suspects = large
        guard hangUps > 1, let largest = again.max(by: { $0.bytes < $1.bytes }) else { return }
        lower(to: largest)
        isProven = false
    }

    private mutating func lower(to message: Message) {
        let isKnown = limitTopic == message.topic
        limit = max(min(message.bytes - 1, isKnown ? message.bytes * 3 / 4 : .max), Self.leastLimit - 1)
        limitTopic = message.topic
    }

    private mutating func endTrial() {
        suspects = []
        if !isProven { (limit, limitTopic) = (nil, nil) }
    }

    /// The time until the next attempt.
    /// - Parameters:
    ///   - code: why the last attempt or session ended.
    ///   - random: 0 ..< 1; spreads the attempts of many gateways.
    func pause(after code: BrokerFailure.Code, random: Double) -> Duration {
        if code.needsMending { return Self.refusalPause }
        if code == .takenOver, hangUps >= Self.leavingHangUps { return Self.rivalPause }
        guard step > 0 else { return .zero }
        return min(Self.longestPause, .milliseconds(250) * (1 << min(step - 1, 3))) * (0.75 + random / 4)
    }
}
