import ReceiverProtocol

/// Home Assistant's share of the MQTT feed: announces the device, and shows what its entities read.
///
///     a session begins              the values, then (at the end) the device
///     Home Assistant has started    the device, 2 to 10 s later
///     the frequencies change        the device
///     a report                      the values that may change now, the event that may be told
///     `forget`, or switched off     device and values are taken back
struct HomeAssistantFeed: Sendable {
    private var discovery: HomeAssistantDiscovery
    private var values: HomeAssistantValues
    private var events = HomeAssistantEvents()
    private let topics: Topics
    /// The device is to be announced then.
    private var announceAt: MonotonicTime?
    /// Somebody had the device removed; Home Assistant's next start brings it back.
    private var isForgotten = false
    /// What an earlier version announced is taken back once.
    private var hasRemovedOld = false

    init(_ options: HomeAssistantOptions, topics: Topics) {
        discovery = HomeAssistantDiscovery(options: options, topics: topics)
        values = HomeAssistantValues(options)
        self.topics = topics
    }

    private var isShown: Bool { discovery.options.isEnabled && !isForgotten }
    var discoveryPrefix: String { discovery.options.prefix }

    /// When ``timePassed(at:)`` has something to do, with a session.
    var deadline: MonotonicTime? {
        [announceAt, isShown ? values.deadline : nil, isShown ? events.deadline : nil].compactMap { $0 }.min()
    }

    // MARK: - Reports

    /// With a session or without.
    mutating func take(_ report: Report, at now: MonotonicTime) {
        values.take(report)
        if case .announcement(let told) = report { events.take(told) }
        if case .info(let info) = report, discovery.isChanged(by: info.info.frequencyRange), announceAt == nil {
            announceAt = now
        }
    }

    /// - Returns: what the time, and the reports taken since, bring about.
    mutating func timePassed(at now: MonotonicTime) -> [OutgoingMessage] {
        var messages: [OutgoingMessage] = []
        if isShown, values.refresh(at: now) { messages.append(state) }
        if isShown, let payload = events.next(at: now) {
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
        let old = hasRemovedOld ? [] : [discovery.oldRemoval]
        hasRemovedOld = true
        guard isShown else { return old + discovery.removal }
        _ = values.refresh(at: now)
        events.clear()
        return old + [state]
    }

    /// The device, after everything that its entities read.
    mutating func announce() -> [OutgoingMessage] {
        announceAt = nil
        return isShown ? [discovery.message] : []
    }

    /// - Returns: whether the message was Home Assistant's.
    mutating func received(_ message: IncomingMessage, at now: MonotonicTime) -> Bool {
        guard message.topic == discovery.options.statusTopic else { return false }
        if message.payload.elementsEqual("online".utf8), discovery.options.isEnabled {
            isForgotten = false
            announceAt = now.advanced(by: discovery.restartDelay)
        }
        return true
    }

    /// Removes the device from Home Assistant, until it or the gateway starts again.
    mutating func forget() -> [OutgoingMessage] {
        isForgotten = true
        announceAt = nil
        return discovery.removal
    }
}
