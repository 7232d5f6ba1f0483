public import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// Turns the reports into MQTT messages: topics, retain, expiry, history, and the messages that are sent again after a
/// connect.
///
///     report          retained  expires  after a time without the broker
///     position        yes       120 s    each, on the history topic
///     tracker         yes       120 s    the newest position, at most every 30 s
///     radio           yes       120 s    the newest, if it is still fresh
///     chase           yes       30 s     the newest, if it is still fresh
///     signal          -         -        -
///     state-like      yes       -        the newest
///     announcement    -         -        each, on the history topic
///     answer          -         -        each but a refusal, on the history topic
///
/// MQTT 3.1.1 has no expiry: there the publisher itself clears a message that has expired. ``MQTTInbox`` reads incoming
/// messages.
public struct MQTTPublisher: Sendable {
    public enum Output: Equatable, Sendable {
        case publish(OutgoingMessage)
        /// There is no session: store the message and replay it on its history topic in the next session.
        case spool(OutgoingMessage)
    }

    /// Position, radio and tracker expire after this time.
    static let expiry = PositionReport.freshLimit
    /// Events of the gateway's start are published live if the broker connects within this time.
    static let startLimit = Duration.seconds(10)
    /// The most events kept for that. Further ones go to the history.
    private static let startEvents = 16

    /// About the size of the largest message, Home Assistant's discovery, in bytes.
    public static let largestPayload = 24_000

    let topics: Topics
    /// Whether the session supports message expiry: false on MQTT 3.1.1.
    private var hasExpiry = true
    private var homeAssistant: HomeAssistantFeed?
    private var ownTracks: OwnTracksFeed?
    /// When the tracker was published, for which sonde, and whether there is a newer position.
    private var trackerAt: MonotonicTime?
    private var trackerSerial: SondeSerial?
    private var isTrackerBehind = false
    private var newest: [Report.Kind: Report] = [:]
    private var paced: [Report.Kind: PacedReport] = [:]
    /// When to clear the retained messages in a session without expiry.
    private var expires: [Report.Kind: MonotonicTime] = [:]
    /// The events of the gateway's start; nil once the broker has connected or the time is over.
    private var start: [AnnouncementReport]? = []
    private let startEndsAt: MonotonicTime
    /// A session is open.
    public var isConnected: Bool { lostAt == nil }
    /// When the last session ended, or the gateway started; nil while a session is open.
    public private(set) var lostAt: MonotonicTime?
    private var isStopped = false
    /// How often the broker's connection was lost.
    public private(set) var outages = 0
    /// The gateway's state, the receiver's, and who hears the sonde. A reader needs these three before it can believe any
    /// other value.
    public var stateTopics: Set<String> { [topics.bridgeState, topics[.receiverState], topics[.state]] }
    /// The messages for phones with OwnTracks, for health; empty if that is off.
    public var counts: [FeedCounts] { ownTracks.map { [$0.counts] } ?? [] }

    public init(
        topics: Topics, homeAssistant: HomeAssistantOptions? = nil,
        ownTracks: OwnTracksOptions? = nil, startedAt: MonotonicTime
    ) {
        self.topics = topics
        self.homeAssistant = homeAssistant.map { HomeAssistantFeed($0, topics: topics) }
        self.ownTracks = ownTracks.map { OwnTracksFeed($0) }
        startEndsAt = startedAt.advanced(by: Self.startLimit)
        lostAt = startedAt
    }

    /// When to say `online` again; nil if nobody has said `offline`.
    private var onlineDue: MonotonicTime?
    private var onlineAt: MonotonicTime?
    /// Two gateways that use one id must not answer each other without pause.
    private static let onlineSpacing = Duration.seconds(5)

    /// When ``timePassed(at:)`` has something to do.
    public var deadline: MonotonicTime? {
        guard isConnected else { return start?.isEmpty == false ? startEndsAt : nil }
        let isHeard = isHeard
        return .earliest(
            homeAssistant?.deadline, ownTracks?.deadline, expires.values.min(),
            isTrackerBehind ? trackerDue : nil, onlineDue,
            paced.values.compactMap { $0.deadline(isHeard: isHeard) }.min())
    }

    /// False while neither source hears a flying sonde.
    private var isHeard: Bool {
        guard case .state(let report) = newest[.state] else { return true }
        return report.state != .noTelemetry || report.phase.phase == .landed
    }

    // MARK: - Reports

    /// - Returns: the messages to send, in this order.
    public mutating func publish(_ report: Report, at now: Moment) -> [Output] {
        let kind = report.kind
        if case .answer(let answer) = report, case .page = answer.answer.origin.reply { return [] }
        var rule = Rule.of(kind)
        if case .answer(let answer) = report, answer.answer.status == .rejected { rule.hasHistory = false }
        if rule.isRetained { newest[kind] = report }
        homeAssistant?.note(report, at: now.monotonic)
        let old = forgetOthers(than: report)
        guard isConnected else {
            ownTracks?.note(report, at: now.monotonic)
            return whileAway(report, rule, at: now)
        }
        let friends = ownTracks?.messages(for: report, at: now.monotonic) ?? []
        let waits = paced[kind]?.holds(report, at: now.monotonic) ?? false
        var own: [OutgoingMessage] = []
        for kind in old { own += cleared(kind) }
        if !waits { own += messages(of: report, rule, isNew: true, at: now.monotonic) }
        // The flight report is the last of a frame that changes measured values, so they wait for it. If none comes,
        // the deadline publishes them. A position alone never publishes them, because more reports of its frame follow.
        let measures = kind == .flight || report.makesAvailable
        let values = kind == .position ? [] : homeAssistant?.timePassed(at: now.monotonic, measures: measures) ?? []
        // Publish an entity's value before the entity becomes available, so that it doesn't change twice.
        return ((report.makesAvailable ? values + own : own + values) + friends).map(Output.publish)
    }

    /// Forgets the position and SondeHub's radio data of the old sonde when the gateway follows another one.
    /// - Returns: the kinds whose messages must be cleared.
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

    /// - Parameter isNew: whether the report has not been published or spooled before.
    private mutating func messages(
        of report: Report, _ rule: Rule, isNew: Bool, at now: MonotonicTime
    ) -> [OutgoingMessage] {
        var message = OutgoingMessage(
            topic: topics[report.kind], payload: [], qos: rule.qos, isRetained: rule.isRetained,
            historyTopic: isNew && rule.hasHistory ? topics.history(of: report.kind) : nil)
        if rule.expires {
            guard let left = report.timeLeft(at: now) else { return [] }
            if hasExpiry {
                // Round up, so that a message never expires early.
                message.expirySeconds = UInt32(clamping: Int(left.inSeconds.rounded(.up)))
            } else {
                expires[report.kind] = now.advanced(by: left)
            }
        }
        message.payload = report.payload(at: now)
        if PacedReport.kinds.contains(report.kind) { paced[report.kind] = PacedReport(report, at: now) }
        if case .answer(let answer) = report { address(&message, to: answer.answer.origin.reply) }
        guard case .position(let position) = report else { return [message] }
        // The first position of another sonde does not wait for the tracker's interval.
        isTrackerBehind = isNew && position.serial == trackerSerial && trackerDue.map { now < $0 } ?? false
        return isTrackerBehind ? [message] : [message, tracker(of: position, as: message, at: now)]
    }

    /// When the tracker may be published again. It is slower than the position, because Home Assistant stores every
    /// change of its attributes.
    private var trackerDue: MonotonicTime? { trackerAt?.advanced(by: HomeAssistantValues.measuringInterval) }

    /// - Parameter position: the position's own message, from which the tracker's is copied.
    private mutating func tracker(
        of report: PositionReport, as position: OutgoingMessage, at now: MonotonicTime
    ) -> OutgoingMessage {
        (trackerAt, trackerSerial) = (now, report.serial)
        var tracker = position
        (tracker.topic, tracker.payload, tracker.historyTopic) = (topics.tracker, report.trackerPayload(at: now), nil)
        return tracker
    }

    private func address(_ message: inout OutgoingMessage, to reply: ReplyAddress) {
        switch reply {
        case .mqtt(let topic, let correlationData):
            message.topic = topic ?? message.topic
            message.correlationData = correlationData
        case .page: break  // Answers to the page are not published.
        }
    }

    // MARK: - The session

    /// Call when the session is connected and subscribed. Publishes all retained messages again. The states come first,
    /// because those of the last session may be wrong now.
    public mutating func sessionBegan(_ version: MQTTVersion, at now: Moment) -> [Output] {
        lostAt = nil
        hasExpiry = version == .v5
        var messages = homeAssistant?.sessionBegan(at: now.monotonic) ?? []
        for kind in Report.Kind.allCases where kind == .receiverState || kind == .state {
            messages += again(kind, at: now)
        }
        messages.append(online)
        for kind in Report.Kind.allCases where kind != .receiverState && kind != .state {
            messages += again(kind, at: now)
        }
        for event in start ?? [] {
            messages += self.messages(of: .announcement(event), Rule.of(.announcement), isNew: true, at: now.monotonic)
        }
        start = nil
        messages += ownTracks?.sessionBegan(at: now.monotonic) ?? []
        return (messages + (homeAssistant?.announceAgain(at: now.monotonic) ?? [])).map(Output.publish)
    }

    private mutating func again(_ kind: Report.Kind, at now: Moment) -> [OutgoingMessage] {
        let rule = Rule.of(kind)
        var messages: [OutgoingMessage] = []
        if let report = newest[kind] { messages = self.messages(of: report, rule, isNew: false, at: now.monotonic) }
        // The broker may hold a message of an earlier session that never expires. Clear it, because it is too old.
        return messages.isEmpty && rule.expires && !hasExpiry ? cleared(kind) : messages
    }

    /// The retained messages that do not expire, once more. Nothing changes by them.
    public mutating func again(at now: Moment) -> [OutgoingMessage] {
        Report.Kind.allCases.filter { !Rule.of($0).expires }.flatMap { again($0, at: now) }
    }

    private func cleared(_ kind: Report.Kind) -> [OutgoingMessage] {
        let names = kind == .position ? [topics[kind], topics.tracker] : [topics[kind]]
        return names.map { OutgoingMessage(topic: $0, payload: [], isRetained: true) }
    }

    public mutating func sessionEnded(at now: MonotonicTime) {
        if isConnected {
            outages += 1
            lostAt = now
        }
        (expires, paced, onlineDue) = ([:], [:], nil)
    }

    public mutating func timePassed(at now: Moment) -> [Output] {
        var outputs: [Output] = []
        if now.monotonic >= startEndsAt { outputs += startEnded(at: now) }
        guard isConnected else { return outputs }
        outputs += (homeAssistant?.timePassed(at: now.monotonic) ?? []).map(Output.publish)
        outputs += (ownTracks?.messages(at: now.monotonic) ?? []).map(Output.publish)
        if isTrackerBehind, let trackerDue, now.monotonic >= trackerDue {
            isTrackerBehind = false
            outputs += again(.position, at: now).filter { $0.topic == topics.tracker }.map(Output.publish)
        }
        if let due = onlineDue, now.monotonic >= due {
            (onlineDue, onlineAt) = (nil, now.monotonic)
            outputs.append(.publish(online))
        }
        for kind in PacedReport.kinds {
            guard paced[kind]?.isDue(at: now.monotonic, isHeard: isHeard) == true else { continue }
            outputs += again(kind, at: now).map(Output.publish)
        }
        for kind in Report.Kind.allCases {
            guard let time = expires[kind], now.monotonic >= time else { continue }
            expires[kind] = nil
            outputs += cleared(kind).map(Output.publish)
        }
        return outputs
    }

    /// The broker did not connect in time, so the start's events go to the history.
    private mutating func startEnded(at now: Moment) -> [Output] {
        guard let events = start, !isConnected else { return [] }
        start = nil
        return events.flatMap { whileAway(.announcement($0), Rule.of(.announcement), at: now) }
    }

    private var online: OutgoingMessage {
        OutgoingMessage(topic: topics.bridgeState, payload: Array("online".utf8), isRetained: true)
    }

    /// Call when the broker brings `offline` for this gateway. The will of an earlier session may come late, over a
    /// bridge for example, and each of Home Assistant's entities would be unavailable until the next session.
    public mutating func heardOffline(at now: MonotonicTime) {
        guard isConnected, !isStopped, onlineDue == nil else { return }
        onlineDue = max(now, onlineAt?.advanced(by: Self.onlineSpacing) ?? now)
    }

    /// The gateway stops: publishes `offline`.
    public mutating func stop(at now: Moment) -> [Output] {
        guard isConnected else { return startEnded(at: now) }
        guard !isStopped else { return [] }
        (isStopped, onlineDue) = (true, nil)
        // Without expiry these messages would stay on the broker for ever.
        let old = Report.Kind.allCases.filter { expires[$0] != nil }.flatMap(cleared)
        let offline = OutgoingMessage(topic: topics.bridgeState, payload: Array("offline".utf8), isRetained: true)
        return (old + [offline]).map(Output.publish)
    }

    // MARK: - Home Assistant

    /// Call when the inbox has news of Home Assistant.
    public mutating func heard(_ news: HomeAssistantNews, at now: Moment) {
        homeAssistant?.heard(news, at: now.monotonic)
    }

    /// Removes the device from Home Assistant, until it or the gateway starts again.
    public mutating func forgetHomeAssistant() -> [Output] {
        let messages = homeAssistant?.forget() ?? []
        return isConnected ? messages.map(Output.publish) : []
    }
}

extension Report {
    /// Whether this report makes entities available in Home Assistant.
    fileprivate var makesAvailable: Bool {
        if case .state(let report) = self { return report.source != nil }
        return self == .receiverState(isOnline: true)
    }

    /// The time until the report expires, counted from the arrival of its measurement; nil if it has expired.
    fileprivate func timeLeft(at now: MonotonicTime) -> Duration? {
        let limit = kind == .chase ? HomeAssistantChase.expiry : MQTTPublisher.expiry
        // Without a car there is no chase to publish.
        guard let measuredAt else { return kind == .chase ? nil : limit }
        let left = limit - now.duration(since: measuredAt)
        return left > .zero ? min(left, limit) : nil
    }

    /// When the measurement arrived; nil for a report without one.
    private var measuredAt: MonotonicTime? {
        if case .position(let report) = self { return report.receivedAt.monotonic }
        if case .radio(let report) = self { return report.receivedAt.monotonic }
        if case .chase(let report) = self { return report.at?.monotonic }
        return nil
    }
}
