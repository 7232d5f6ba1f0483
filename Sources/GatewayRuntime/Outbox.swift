import DequeModule
import Gateway
import GatewayReports
import ReceiverProtocol

/// Messages that wait for room in the broker's session: the newest of each retained topic, and up to ``limit`` others.
///
/// A retained topic is a slot: a newer message replaces the older one and keeps its place in the order. So a slow line
/// carries few messages, and new ones. A message that is neither retained nor acknowledged is worth something only at
/// once: it does not wait.
///
/// | order | message |
/// | --- | --- |
/// | 1 | every other time the position |
/// | 2 | events and answers |
/// | 3 | every other time one of ``states`` |
/// | 4 | the slot that has waited longest |
/// | last | while positions come: one that the line has not proven to carry within ``BrokerLine/longestHold`` |
struct Outbox {
    /// The most messages that are not retained (events and answers). The oldest is displaced.
    static let limit = 500
    /// With an older position no more positions come: SondeHub is asked every 15 s at least.
    static let positionInterval = Duration.seconds(20)

    /// The publisher's ``MQTTPublisher/stateTopics``.
    private let states: Set<String>
    /// The newest message of each retained topic, in the order in which the topics began to wait.
    private var slots: [OutgoingMessage] = []
    private var others: Deque<OutgoingMessage> = []
    /// When no positions come any more, if none comes until then.
    private var quietAt: MonotonicTime?
    private var wasPosition = false
    private var wasState = false
    /// The newest value of each retained topic in this session, also of those that need not wait.
    private var newest: [String: [UInt8]] = [:]
    private(set) var superseded = 0
    /// Some messages wait for room. Those that a thin line carries later do not count.
    private(set) var isWaiting = false

    init(states: Set<String> = []) { self.states = states }

    var count: Int { slots.count + others.count }
    var isEmpty: Bool { slots.isEmpty && others.isEmpty }

    /// Notes the messages that go, also those that need not wait.
    mutating func saw(_ messages: [OutgoingMessage], at now: MonotonicTime) {
        for message in messages where message.isRetained { newest[message.topic] = message.payload }
        if messages.contains(where: \.isPosition) { quietAt = now.advanced(by: Self.positionInterval) }
    }

    /// The first position may be about to come.
    mutating func sessionBegan(at now: MonotonicTime) { quietAt = now.advanced(by: Self.positionInterval) }

    /// When long messages may go although the line has not proven that it carries them; nil if none waits for that.
    var deadline: MonotonicTime? { slots.isEmpty || isWaiting ? nil : quietAt }

    /// Whether there is no newer message of the same topic.
    func isNewest(_ message: OutgoingMessage) -> Bool {
        !message.isRetained || newest[message.topic].map { $0 == message.payload } ?? true
    }

    /// Adds a message that the session gives back. An event goes before later ones.
    /// - Returns: the displaced message, if any.
    mutating func takeBack(_ message: OutgoingMessage, at now: MonotonicTime) -> OutgoingMessage? {
        guard !message.isRetained, let key = message.key,
            let place = others.firstIndex(where: { $0.key.map { $0 > key } ?? false })
        else { return add(message, at: now) }
        isWaiting = true
        others.insert(message, at: place)
        return others.count > Self.limit ? others.popFirst() : nil
    }

    /// - Returns: the displaced message, if any.
    mutating func add(_ message: OutgoingMessage, at now: MonotonicTime) -> OutgoingMessage? {
        if !message.isRetained, message.qos == 0 {
            superseded += 1
            return nil
        }
        isWaiting = true
        guard message.isRetained else {
            others.append(message)
            return others.count > Self.limit ? others.popFirst() : nil
        }
        guard let place = slots.firstIndex(where: { $0.topic == message.topic }) else {
            slots.append(message)
            return nil
        }
        superseded += 1
        defer { slots[place] = message }
        return slots[place]
    }

    /// Removes messages as long as `publish` takes them.
    /// - Parameter line: nil if it is not known.
    mutating func drain(over line: BrokerLine?, at now: MonotonicTime, into publish: (OutgoingMessage) -> Bool) {
        isWaiting = true
        while true {
            if !wasPosition, let place = slots.firstIndex(where: \.isPosition) {
                guard publish(slots[place]) else { return }
                slots.remove(at: place)
                wasPosition = true
            } else if let other = others.first {
                guard publish(other) else { return }
                others.removeFirst()
                wasPosition = false
            } else if let place = next(over: line, at: now) {
                guard publish(slots[place]) else { return }
                let message = slots.remove(at: place)
                (wasPosition, wasState) = (message.isPosition, states.contains(message.topic))
            } else {
                break
            }
        }
        isWaiting = false
    }

    /// The place of the slot whose turn it is; nil if none may be sent now.
    private func next(over line: BrokerLine?, at now: MonotonicTime) -> Int? {
        if !wasState, let place = slots.firstIndex(where: { states.contains($0.topic) }) { return place }
        guard let line, !isQuiet(at: now) else { return slots.indices.first }
        return slots.firstIndex { !line.isHeldUp(by: $0.payload.count) }
    }

    /// No positions come.
    private func isQuiet(at now: MonotonicTime) -> Bool { quietAt.map { now >= $0 } ?? true }

    /// The longest message that waits for the line's proof, in bytes; nil if none does, or if others wait for room, too.
    func longestHeld(over line: BrokerLine?, at now: MonotonicTime) -> Int? {
        guard let line, !isWaiting, !isQuiet(at: now) else { return nil }
        return slots.map(\.payload.count).filter(line.isHeldUp).max()
    }

    /// Empties the outbox: the next session publishes newer live values, and the spool has what must not be lost.
    mutating func sessionEnded() { (slots, others, isWaiting, newest) = ([], [], false, [:]) }
}

extension OutgoingMessage {
    /// Of retained messages only positions have a history.
    fileprivate var isPosition: Bool { isRetained && historyTopic != nil }
}
