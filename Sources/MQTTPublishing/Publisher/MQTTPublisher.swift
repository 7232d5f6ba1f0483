public import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// The reports as MQTT messages: topics, retain, expiry, history, and what is sent anew after a connect.
///
///     report          retained  expires  when the broker is away
///     position        yes       120 s    history, each
///     tracker         yes       120 s    the newest position, at most every 30 s
///     radio           yes       120 s    the newest, if it is still fresh
///     chase           yes       30 s     the newest, if it is still fresh
///     state-like      yes       -        the newest
///     announcement    -         -        history, each
///     answer          -         -        history, each
///
/// MQTT 3.1.1 knows no expiry: there the publisher itself takes back what has expired. What comes in is ``MQTTInbox``'s.
public struct MQTTPublisher: Sendable {
    public enum Output: Equatable, Sendable {
        case publish(OutgoingMessage)
        /// There is no session: the message waits for the next one, and is replayed to its history topic.
        case spool(OutgoingMessage)
    }

    /// Position, radio and tracker are of no use after this time (specification 5.2).
    static let expiry = PositionReport.freshLimit
    /// Events of the start go out live when the broker is there within this time (5.2).
    static let startLimit = Duration.seconds(10)
    /// Events kept for that; more go to the history.
    private static let startEvents = 16

    let topics: Topics
    private let phrases: any Phrasebook
    /// Of the session: false on MQTT 3.1.1.
    private var hasExpiry = true
    private var homeAssistant: HomeAssistantFeed?
    private var ownTracks: OwnTracksFeed?
    /// When the tracker was published, and that there is a newer position.
    private var trackerAt: MonotonicTime?
    private var trackerSerial: SondeSerial?
    private var isTrackerBehind = false
    private var newest: [Report.Kind: Report] = [:]
    private var paced: [Report.Kind: PacedReport] = [:]
    /// When the retained messages of a session without expiry are to be taken back.
    private var expires: [Report.Kind: MonotonicTime] = [:]
    /// Events of the start, until the broker is there or the time is over.
    private var start: [AnnouncementReport]? = []
    private let startEndsAt: MonotonicTime
    private var isConnected = false
    private var isStopped = false
    /// Times that the broker went away.
    public private(set) var outages = 0
    /// What phones with OwnTracks are told, for health; nothing where that is off.
    public var counts: [FeedCounts] { ownTracks.map { [$0.counts] } ?? [] }

    public init(
        topics: Topics, phrases: any Phrasebook = English(), homeAssistant: HomeAssistantOptions? = nil,
        ownTracks: OwnTracksOptions? = nil, startedAt: MonotonicTime
    ) {
        self.topics = topics
        self.phrases = phrases
        self.homeAssistant = homeAssistant.map { HomeAssistantFeed($0, topics: topics, phrases: phrases) }
        self.ownTracks = ownTracks.map { OwnTracksFeed($0) }
        startEndsAt = startedAt.advanced(by: Self.startLimit)
    }

    /// When ``timePassed(at:)`` has something to do.
    public var deadline: MonotonicTime? {
        guard isConnected else { return start?.isEmpty == false ? startEndsAt : nil }
        let isHeard = isHeard
        return .earliest(
            homeAssistant?.deadline, ownTracks?.deadline, expires.values.min(),
            isTrackerBehind ? trackerDue?.advanced(by: HomeAssistantValues.frameWait) : nil,
            paced.values.compactMap { $0.deadline(isHeard: isHeard) }.min())
    }

    /// False when nobody hears a sonde that flies.
    private var isHeard: Bool {
        guard case .state(let report) = newest[.state] else { return true }
        return report.state != .noTelemetry || report.phase.phase == .landed
    }

    // MARK: - Reports

    /// - Returns: what is to be sent, in this order.
    public mutating func publish(_ report: Report, at now: Moment) -> [Output] {
        let kind = report.kind
        if case .answer(let answer) = report, case .page = answer.answer.origin.reply { return [] }
        let rule = Rule.of(kind)
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
        // Of a frame's reports the flight is the last that its values come from; without one the deadline shows them. A
        // position has no others.
        let measures = kind == .flight || report.makesAvailable
        let values = kind == .position ? [] : homeAssistant?.timePassed(at: now.monotonic, measures: measures) ?? []
        // An entity gets its value before it becomes available, so that it doesn't change twice.
        return ((report.makesAvailable ? values + own : own + values) + friends).map(Output.publish)
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
            guard let left = report.timeLeft(at: now) else { return [] }
            if hasExpiry {
                // Rounded up: the last second is better shown than missed.
                message.expirySeconds = UInt32(clamping: Int(left.inSeconds.rounded(.up)))
            } else {
                expires[report.kind] = now.advanced(by: left)
            }
        }
        message.payload = report.payload(at: now, in: phrases)
        if PacedReport.kinds.contains(report.kind) { paced[report.kind] = PacedReport(report, at: now) }
        if case .answer(let answer) = report { address(&message, to: answer.answer.origin.reply) }
        guard case .position(let position) = report else { return [message] }
        // Another sonde's place doesn't wait for the old one's time.
        isTrackerBehind = isNew && position.serial == trackerSerial && trackerDue.map { now < $0 } ?? false
        return isTrackerBehind ? [message] : [message, tracker(of: position, as: message, at: now)]
    }

    /// Home Assistant keeps every change of its attributes: the tracker has a slower pace than the position.
    private var trackerDue: MonotonicTime? { trackerAt?.advanced(by: HomeAssistantValues.measuringInterval) }

    /// - Parameter position: the message of the position, which goes out or went out.
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
        case .page: break  // Is not published at all.
        }
    }

    // MARK: - The session

    /// Connected and subscribed: everything retained is published anew, what the last session may have left wrong first.
    public mutating func sessionBegan(_ version: MQTTVersion, at now: Moment) -> [Output] {
        isConnected = true
        hasExpiry = version == .v5
        var messages = homeAssistant?.sessionBegan(at: now.monotonic) ?? []
        for kind in Report.Kind.allCases where kind == .receiverState || kind == .state {
            messages += again(kind, at: now)
        }
        messages.append(OutgoingMessage(topic: topics.bridgeState, payload: Array("online".utf8), isRetained: true))
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
        (expires, paced) = ([:], [:])
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

    /// The broker was not there in time: what happened meanwhile is history.
    private mutating func startEnded(at now: Moment) -> [Output] {
        guard let events = start, !isConnected else { return [] }
        start = nil
        return events.flatMap { whileAway(.announcement($0), Rule.of(.announcement), at: now) }
    }

    /// The gateway stops: says good-bye.
    public mutating func stop(at now: Moment) -> [Output] {
        guard isConnected else { return startEnded(at: now) }
        guard !isStopped else { return [] }
        isStopped = true
        // Without expiry nobody would take back what is old soon.
        let old = Report.Kind.allCases.filter { expires[$0] != nil }.flatMap(cleared)
        let offline = OutgoingMessage(topic: topics.bridgeState, payload: Array("offline".utf8), isRetained: true)
        return (old + [offline]).map(Output.publish)
    }

    // MARK: - Home Assistant

    /// The inbox has heard of Home Assistant.
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
    /// Home Assistant's entities become available by it.
    fileprivate var makesAvailable: Bool {
        if case .state(let report) = self { return report.source != nil }
        return self == .receiverState(isOnline: true)
    }

    /// How long the report is still of use, counted from when its measurement came; nil when it is not.
    fileprivate func timeLeft(at now: MonotonicTime) -> Duration? {
        let limit = kind == .chase ? HomeAssistantChase.expiry : MQTTPublisher.expiry
        // Without a car there is nothing to tell of the chase.
        guard let measuredAt else { return kind == .chase ? nil : limit }
        let left = limit - now.duration(since: measuredAt)
        return left > .zero ? min(left, limit) : nil
    }

    /// When the gateway got what it tells; nil for what is no measurement.
    private var measuredAt: MonotonicTime? {
        if case .position(let report) = self { return report.receivedAt.monotonic }
        if case .radio(let report) = self { return report.receivedAt.monotonic }
        if case .chase(let report) = self { return report.at?.monotonic }
        return nil
    }
}
