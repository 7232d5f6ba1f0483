import Gateway
import GatewayReports
import ReceiverProtocol

/// Home Assistant's share of the MQTT feed: announces the device, and shows what its entities read.
///
///     a session begins              the values, then (at the end) the device; the first time a second later
///     an old device is found        it is taken back
///     Home Assistant has started    the device, 2 to 10 s later
///     frequencies, firmware         the device
///     a report                      the values that may change now, the event that may be told
///     `forget`, or switched off     device and values are taken back
struct HomeAssistantFeed: Sendable {
    private var discovery: HomeAssistantDiscovery
    private var values: HomeAssistantValues
    private var events = HomeAssistantEvents()
    private let topics: Topics
    private let phrases: any Phrasebook
    /// The device is to be announced then.
    private var announceAt: MonotonicTime?
    /// Somebody had the device removed; Home Assistant's next start brings it back.
    private var isForgotten = false
    private var isStateCleared = false
    /// An earlier version's device, or one that is switched off now, was found: it is taken back.
    private var found: [OutgoingMessage] = []
    private var foundAt: MonotonicTime?
    private var hasAnnounced = false

    /// The first announcement waits for what an earlier version has left, so that the new entities get the old names.
    static let firstDelay = Duration.seconds(1)

    init(_ options: HomeAssistantOptions, topics: Topics, phrases: any Phrasebook) {
        discovery = HomeAssistantDiscovery(options: options, topics: topics)
        values = HomeAssistantValues(options)
        self.topics = topics
        self.phrases = phrases
    }

    private var isShown: Bool { discovery.options.isEnabled && !isForgotten }

    /// When ``timePassed(at:)`` has something to do, with a session.
    var deadline: MonotonicTime? {
        .earliest(announceAt, foundAt, isShown ? values.deadline : nil, isShown ? events.deadline : nil)
    }

    // MARK: - Reports

    /// With a session or without.
    mutating func note(_ report: Report, at now: MonotonicTime) {
        values.note(report, at: now)
        if case .announcement(let told) = report { events.enqueue(told) }
        if case .info(let info) = report, discovery.isChanged(by: info), announceAt == nil {
            announceAt = now
        }
    }

    /// - Parameter measures: false while more of the same frame is to come.
    /// - Returns: what the time, and the reports taken since, bring about.
    mutating func timePassed(at now: MonotonicTime, measures: Bool = true) -> [OutgoingMessage] {
        var messages = found
        (found, foundAt) = ([], nil)
        if isShown, values.refresh(at: now, measures: measures) { messages.append(state) }
        if isShown, let payload = events.next(at: now, in: phrases) {
            messages.append(OutgoingMessage(topic: topics.homeAssistantEvent, payload: payload))
        }
        if let announceAt, now >= announceAt { messages += announce() }
        return messages
    }

    private var state: OutgoingMessage {
        OutgoingMessage(topic: topics.homeAssistantState, payload: values.payload, isRetained: true)
    }

    // MARK: - The session

    /// Before anything says that the gateway is online: what an earlier session has left is never shown as live.
    mutating func sessionBegan(at now: MonotonicTime) -> [OutgoingMessage] {
        guard isShown else { return isForgotten ? discovery.removal : [] }
        values.expectReaders()
        _ = values.refresh(at: now)
        events.clear()
        return [state]
    }

    /// The device, at the end of everything that is published anew.
    mutating func announceAgain(at now: MonotonicTime) -> [OutgoingMessage] {
        guard hasAnnounced else {
            announceAt = now.advanced(by: Self.firstDelay)
            return []
        }
        return announce()
    }

    private mutating func announce() -> [OutgoingMessage] {
        (announceAt, hasAnnounced) = (nil, true)
        guard isShown else { return [] }
        // Taken back with the device, the values come back with it.
        defer { isStateCleared = false }
        return (isStateCleared ? [state] : []) + [discovery.message]
    }

    mutating func heard(_ news: HomeAssistantNews, at now: MonotonicTime) {
        switch news {
        case .oldDevice: withdraw([discovery.oldRemoval], at: now)
        case .device: if !isShown { withdraw(discovery.removal, at: now) }
        case .started:
            isForgotten = false
            announceAt = now.advanced(by: discovery.restartDelay)
        }
    }

    private mutating func withdraw(_ messages: [OutgoingMessage], at now: MonotonicTime) {
        found = messages
        foundAt = now
    }

    /// Removes the device from Home Assistant, until it or the gateway starts again.
    mutating func forget() -> [OutgoingMessage] {
        (isForgotten, isStateCleared) = (true, true)
        announceAt = nil
        return discovery.removal
    }
}
