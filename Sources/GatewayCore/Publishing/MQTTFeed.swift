public import ReceiverProtocol

/// The reports as MQTT messages: topics, retain, expiry, history, and what is sent anew after a connect.
///
///     report          retained  expires  when the broker is away
///     position        yes       120 s    history, each
///     tracker         yes       120 s    the newest position, at most every 5 s
///     radio           yes       120 s    the newest, if it is still fresh
///     state-like      yes       -        the newest
///     announcement    -         -        history, each
///     answer          -         -        history, each
///
/// MQTT 3.1.1 knows no expiry: there the feed itself takes back what has expired.
public struct MQTTFeed: Sendable {
    public enum Output: Equatable, Sendable {
        case publish(OutgoingMessage)
        /// There is no session: the message waits for the next one, and is replayed to its history topic.
        case spool(OutgoingMessage)
    }

    /// Position, radio and tracker are of no use after this time (specification 5.2).
    static let expiry = Duration.seconds(120)
    /// Events of the start go out live when the broker is there within this time (5.2).
    static let startLimit = Duration.seconds(10)
    /// Events kept for that; more go to the history.
    private static let startEvents = 16

    let topics: Topics
    private let hasExpiry: Bool
    private var homeAssistant: HomeAssistantFeed?
    /// When the tracker was published, and that there is a newer position.
    private var trackerAt: MonotonicTime?
    private var isTrackerBehind = false
    private var newest: [Report.Kind: Report] = [:]
    /// When the retained messages of a session without expiry are to be taken back.
    private var expires: [Report.Kind: MonotonicTime] = [:]
    /// Events of the start, until the broker is there or the time is over.
    private var start: [AnnouncementReport]? = []
    private let startEndsAt: MonotonicTime
    private var isConnected = false
    private var isStopped = false
    /// Times that the broker went away.
    public private(set) var outages = 0

    /// - Parameter hasExpiry: false on MQTT 3.1.1.
    public init(
        topics: Topics, hasExpiry: Bool = true, homeAssistant: HomeAssistantOptions? = nil, startedAt: MonotonicTime
    ) {
        self.topics = topics
        self.hasExpiry = hasExpiry
        self.homeAssistant = homeAssistant.map { HomeAssistantFeed($0, topics: topics) }
        startEndsAt = startedAt.advanced(by: Self.startLimit)
    }

    /// When ``timePassed(at:)`` has something to do.
    public var deadline: MonotonicTime? {
        guard isConnected else { return start?.isEmpty == false ? startEndsAt : nil }
        return [homeAssistant?.deadline, expires.values.min(), isTrackerBehind ? trackerDue : nil].compactMap { $0 }
            .min()
    }

    // MARK: - Reports

    /// - Returns: what is to be sent, in this order.
    public mutating func take(_ report: Report, at now: Moment) -> [Output] {
        let kind = report.kind
        let rule = Rule(kind)
        if rule.isRetained { newest[kind] = report }
        homeAssistant?.take(report, at: now.monotonic)
        let old = forgetOthers(than: report)
        guard isConnected else { return whileAway(report, rule, at: now) }
        let own = old.flatMap(cleared) + messages(of: report, rule, isNew: true, at: now.monotonic)
        let values = homeAssistant?.timePassed(at: now.monotonic) ?? []
        // An entity gets its value before it becomes available, so that it doesn't change twice.
        return (report.makesAvailable ? values + own : own + values).map(Output.publish)
    }

    /// Another sonde is followed, and nothing of it is known yet: the old one's place is no longer the sonde's.
    /// - Returns: the kinds that are to be taken back.
    private mutating func forgetOthers(than report: Report) -> [Report.Kind] {
        guard case .state(let state) = report else { return [] }
        var kinds: [Report.Kind] = []
        if case .position(let position) = newest[.position], position.serial != state.serial { kinds.append(.position) }
        if case .radio(let radio) = newest[.radio], radio.source == .sondehub, radio.serial != state.serial {
            kinds.append(.radio)
        }
        for kind in kinds { (newest[kind], expires[kind]) = (nil, nil) }
        return kinds
    }

    private mutating func whileAway(_ report: Report, _ rule: Rule, at now: Moment) -> [Output] {
        guard rule.hasHistory else { return [] }
        if case .announcement(let event) = report, start != nil, now.monotonic < startEndsAt,
            start?.count ?? 0 < Self.startEvents
        {
            start?.append(event)
            return []
        }
        return messages(of: report, rule, isNew: true, at: now.monotonic).prefix(1).map(Output.spool)
    }

    /// - Parameter isNew: it has not been published or spooled before.
    private mutating func messages(
        of report: Report, _ rule: Rule, isNew: Bool, at now: MonotonicTime
    ) -> [OutgoingMessage] {
        var message = OutgoingMessage(
            topic: topics[report.kind], payload: [], qos: rule.qos, isRetained: rule.isRetained,
            historyTopic: isNew && rule.hasHistory ? topics.history(of: report.kind) : nil)
        if rule.expires {
            guard let left = report.timeLeft(of: Self.expiry, at: now) else { return [] }
            if hasExpiry {
                // Rounded up: the last second is better shown than missed.
                message.expirySeconds = UInt32(clamping: Int(left.inSeconds.rounded(.up)))
            } else {
                expires[report.kind] = now.advanced(by: left)
            }
        }
        message.payload = report.payload(at: now)
        if case .answer(let answer) = report { address(&message, to: answer.answer.origin.reply) }
        guard case .position(let position) = report else { return [message] }
        isTrackerBehind = isNew && trackerDue.map { now < $0 } ?? false
        return isTrackerBehind ? [message] : [message, tracker(of: position, as: message, at: now)]
    }

    /// Home Assistant keeps every change of its attributes: the tracker has a slower pace than the position.
    private var trackerDue: MonotonicTime? { trackerAt?.advanced(by: HomeAssistantValues.spacing) }

    /// - Parameter position: the message of the position, which goes out or went out.
    private mutating func tracker(
        of report: PositionReport, as position: OutgoingMessage, at now: MonotonicTime
    ) -> OutgoingMessage {
        trackerAt = now
        var tracker = position
        (tracker.topic, tracker.payload, tracker.historyTopic) = (topics.tracker, report.trackerPayload(at: now), nil)
        return tracker
    }

    private func address(_ message: inout OutgoingMessage, to reply: ReplyAddress) {
        switch reply {
        case .mqtt(let topic, let correlationData):
            message.topic = topic ?? message.topic
            message.correlationData = correlationData
        }
    }

    // MARK: - The session

    /// Connected and subscribed: everything retained is published anew, what the last session may have left wrong first.
    public mutating func sessionBegan(at now: Moment) -> [Output] {
        isConnected = true
        var messages = homeAssistant?.sessionBegan(at: now.monotonic) ?? []
        for kind in Report.Kind.allCases where kind == .receiverState || kind == .state {
            messages += again(kind, at: now)
        }
        messages.append(OutgoingMessage(topic: topics.bridgeState, payload: Array("online".utf8), isRetained: true))
        for kind in Report.Kind.allCases where kind != .receiverState && kind != .state {
            messages += again(kind, at: now)
        }
        for event in start ?? [] {
            messages += self.messages(of: .announcement(event), Rule(.announcement), isNew: true, at: now.monotonic)
        }
        start = nil
        return (messages + (homeAssistant?.announce() ?? [])).map(Output.publish)
    }

    private mutating func again(_ kind: Report.Kind, at now: Moment) -> [OutgoingMessage] {
        let rule = Rule(kind)
        var messages: [OutgoingMessage] = []
        if let report = newest[kind] { messages = self.messages(of: report, rule, isNew: false, at: now.monotonic) }
        // What an earlier session or run has left there without expiry is old by now.
        return messages.isEmpty && rule.expires && !hasExpiry ? cleared(kind) : messages
    }

    private func cleared(_ kind: Report.Kind) -> [OutgoingMessage] {
        let names = kind == .position ? [topics[kind], topics.tracker] : [topics[kind]]
        return names.map { OutgoingMessage(topic: $0, payload: [], isRetained: true) }
    }

    public mutating func sessionEnded() {
        if isConnected { outages += 1 }
        isConnected = false
        expires = [:]
    }

    public mutating func timePassed(at now: Moment) -> [Output] {
        var outputs: [Output] = []
        if now.monotonic >= startEndsAt { outputs += startEnded(at: now) }
        guard isConnected else { return outputs }
        outputs += (homeAssistant?.timePassed(at: now.monotonic) ?? []).map(Output.publish)
        if isTrackerBehind, let trackerDue, now.monotonic >= trackerDue {
            isTrackerBehind = false
            outputs += again(.position, at: now).filter { $0.topic == topics.tracker }.map(Output.publish)
        }
        for kind in Report.Kind.allCases {
            guard let time = expires[kind], now.monotonic >= time else { continue }
            expires[kind] = nil
            outputs += cleared(kind).map(Output.publish)
        }
        return outputs
    }

    /// The broker was not there in time: what happened meanwhile is history.
    private mutating func startEnded(at now: Moment) -> [Output] {
        guard let events = start, !isConnected else { return [] }
        start = nil
        return events.flatMap { whileAway(.announcement($0), Rule(.announcement), at: now) }
    }

    /// The gateway stops: says good-bye.
    public mutating func stop(at now: Moment) -> [Output] {
        guard isConnected else { return startEnded(at: now) }
        guard !isStopped else { return [] }
        isStopped = true
        return [
            .publish(OutgoingMessage(topic: topics.bridgeState, payload: Array("offline".utf8), isRetained: true))
        ]
    }

    // MARK: - Messages in

    /// - Returns: the command that the message carries; nil when it carries none.
    public mutating func received(_ message: IncomingMessage, at now: Moment) -> IncomingCommand? {
        if homeAssistant?.received(message, at: now.monotonic) == true { return nil }
        guard let door = topics.door(of: message.topic) else { return nil }
        // Somebody clears the topic.
        if message.isRetained, message.payload.isEmpty { return nil }
        var command = IncomingCommand(
            body: message.payload, door: door,
            reply: .mqtt(topic: message.responseTopic, correlationData: message.correlationData))
        if let topic = message.responseTopic,
            !topics.mayAnswer(on: topic, discoveryPrefix: homeAssistant?.discoveryPrefix ?? "homeassistant")
        {
            command.reply = .mqtt(topic: nil, correlationData: message.correlationData)
            command.refusal = CommandRefusal(
                .responseTopic,
                "answers can't go to \(CommandDecoder.shortened(topic)); use a response topic outside "
                    + "\(topics.base)/ and Home Assistant's, or one below \(topics[.answer])")
        }
        if message.mayBeRetained, !message.isRetained {
            command.refusal = CommandRefusal(
                .retained,
                "MQTT 3.1.1 doesn't show whether a message is an old retained one; commands are taken from one second "
                    + "after the connection on")
        }
        if message.isRetained {
            command.refusal = CommandRefusal(
                .retained, "a retained command is never executed; publish it without retain")
        }
        return command
    }

    // MARK: - Home Assistant

    /// Removes the device from Home Assistant, until it or the gateway starts again.
    public mutating func forgetHomeAssistant() -> [Output] {
        let messages = homeAssistant?.forget() ?? []
        return isConnected ? messages.map(Output.publish) : []
    }
}

extension MQTTFeed {
    /// How a kind of report is published.
    struct Rule {
        var qos: UInt8 = 1
        var isRetained = true
        var expires = false
        /// Each one counts: what the broker could not have at once is replayed.
        var hasHistory = false

        init(_ kind: Report.Kind) {
            switch kind {
            case .position: (expires, hasHistory) = (true, true)
            case .radio: expires = true
            case .health: qos = 0
            case .announcement, .answer: (isRetained, hasHistory) = (false, true)
            case .receiverState, .state, .info, .settings, .flight, .landing, .prediction, .proposal: break
            }
        }
    }
}

extension Report {
    /// Home Assistant's entities become available by it.
    fileprivate var makesAvailable: Bool {
        switch self {
        case .state(let report): report.source != nil
        case .receiverState(let isOnline): isOnline
        case .position, .radio, .settings, .flight, .landing, .prediction, .proposal, .info, .health, .announcement,
            .answer:
            false
        }
    }

    /// What is left of `limit` since the report's measurement came; nil when nothing is.
    fileprivate func timeLeft(of limit: Duration, at now: MonotonicTime) -> Duration? {
        let received: MonotonicTime? =
            switch self {
            case .position(let report): report.receivedAt.monotonic
            case .radio(let report): report.receivedAt.monotonic
            case .receiverState, .state, .settings, .flight, .landing, .prediction, .proposal, .info, .health,
                .announcement, .answer:
                nil
            }
        guard let received else { return limit }
        let left = limit - now.duration(since: received)
        return left > .zero ? min(left, limit) : nil
    }
}
