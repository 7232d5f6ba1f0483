import Gateway
import GatewayReports
import ReceiverProtocol

/// The part of the MQTT feed that serves Home Assistant: announces the device and publishes the values of its entities.
///
///     cause                               message
///     a session begins                    the values, then (at the end) the device; the first time a second later
///     an old device is found              its removal
///     Home Assistant has started          the device, 2 to 10 s later
///     range, firmware, language change    the device
///     other sondes around                 the device, at most once a minute
///     the device was announced again      the values, 2 s later
///     a report                            the values that may change now, the event that is due
///     `forget`, or switched off           the removal of the device and its values
struct HomeAssistantFeed: Sendable {
    private var discovery: HomeAssistantDiscovery
    private var values: HomeAssistantValues
    private var events = HomeAssistantEvents()
    private let topics: Topics
    /// When to announce the device; nil if no announcement is pending.
    private var announceAt: MonotonicTime?
    /// A user had the device removed. Home Assistant's next start brings it back.
    private var isForgotten = false
    private var isStateCleared = false
    /// The removals of devices found on the broker: an earlier version's, or ours although it is switched off now.
    private var found: [OutgoingMessage] = []
    private var foundAt: MonotonicTime?
    private var announcedAt: MonotonicTime?
    /// When to publish the values again; nil if that is not pending.
    private var repeatAt: MonotonicTime?

    /// The first announcement waits until an earlier version's device is found and removed. Then the new entities get
    /// the old names.
    static let firstDelay = Duration.seconds(1)

    /// The time between two announcements because of other sondes around: each costs Home Assistant a reload of the
    /// device.
    static let sondesInterval = Duration.seconds(60)

    /// Home Assistant needs some of this time to change its entities. Then it reads the values by the new templates: a
    /// value that was not among the old choices is one now.
    private static let adoption = Duration.seconds(2)

    init(_ options: HomeAssistantOptions, topics: Topics) {
        discovery = HomeAssistantDiscovery(options: options, topics: topics)
        values = HomeAssistantValues(options)
        self.topics = topics
    }

    private var isShown: Bool { discovery.options.isEnabled && !isForgotten }

    /// When ``timePassed(at:)`` has something to do while a session is open.
    var deadline: MonotonicTime? {
        .earliest(
            announceAt, repeatAt, foundAt, isShown ? values.deadline : nil, isShown ? events.deadline : nil)
    }

    // MARK: - Reports

    /// Stores a report, with or without a session.
    mutating func note(_ report: Report, at now: MonotonicTime) {
        values.note(report, at: now)
        if case .announcement(let told) = report { events.enqueue(told) }
        if case .info(let info) = report, discovery.isChanged(by: info), announceAt == nil {
            announceAt = now
        }
        if case .sondes(let around) = report, discovery.isChanged(by: around), announceAt == nil {
            announceAt = max(now, announcedAt?.advanced(by: Self.sondesInterval) ?? now)
        }
    }

    /// - Parameter measures: false while more reports of the same frame are about to come.
    /// - Returns: the messages that are due, also because of the reports stored since the last call.
    mutating func timePassed(at now: MonotonicTime, measures: Bool = true) -> [OutgoingMessage] {
        var messages = found
        (found, foundAt) = ([], nil)
        let isRepeatDue = repeatAt.map { now >= $0 } ?? false
        if isRepeatDue { repeatAt = nil }
        if isShown, values.refresh(at: now, measures: measures) || isRepeatDue { messages.append(state) }
        if isShown, let payload = events.next(at: now) {
            messages.append(OutgoingMessage(topic: topics.homeAssistantEvent, payload: payload))
        }
        if let announceAt, now >= announceAt { messages += announce(at: now) }
        return messages
    }

    private var state: OutgoingMessage {
        OutgoingMessage(topic: topics.homeAssistantState, payload: values.payload, isRetained: true)
    }

    // MARK: - The session

    /// Call before the gateway is published as online. So Home Assistant never shows values of an earlier session as
    /// live.
    mutating func sessionBegan(at now: MonotonicTime) -> [OutgoingMessage] {
        guard isShown else { return isForgotten ? discovery.removal : [] }
        values.expectReaders()
        _ = values.refresh(at: now)
        events.clear()
        return [state]
    }

    /// The device. Call after all other retained messages are published again.
    mutating func announceAgain(at now: MonotonicTime) -> [OutgoingMessage] {
        guard announcedAt != nil else {
            announceAt = now.advanced(by: Self.firstDelay)
            return []
        }
        return announce(at: now)
    }

    private mutating func announce(at now: MonotonicTime) -> [OutgoingMessage] {
        repeatAt = announcedAt == nil ? nil : now.advanced(by: Self.adoption)
        (announceAt, announcedAt) = (nil, now)
        guard isShown else { return [] }
        // `forget` cleared the values with the device, so publish both again.
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
