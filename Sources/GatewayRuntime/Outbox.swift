import DequeModule
import Gateway
import GatewayReports
import ReceiverProtocol

/// Messages that wait for room in the broker's session: the newest of each retained topic, and up to ``limit`` others.
///
/// A retained topic is a slot: a newer message replaces the older one and keeps its place in the order. So a slow line
/// carries few messages, and new ones.
///
/// | order | message |
/// | --- | --- |
/// | 1 | events and answers |
/// | 2 | every other time the position |
/// | 3 | the slot that has waited longest |
/// | last | while positions come: one that would hold up the line for more than ``BrokerLine/longestHold`` |
struct Outbox {
    /// The most messages that are not retained (events and answers). The oldest is displaced.
    static let limit = 500
    /// With an older position no more positions come.
    static let positionInterval = Duration.seconds(10)

    /// The newest message of each retained topic, in the order in which the topics began to wait.
    private var slots: [OutgoingMessage] = []
    private var others: Deque<OutgoingMessage> = []
    private var positionAt: MonotonicTime?
    private var wasPosition = false
    private(set) var superseded = 0
    /// Some messages wait for room. Those that a thin line carries later do not count.
    private(set) var isWaiting = false

    var count: Int { slots.count + others.count }
    var isEmpty: Bool { slots.isEmpty && others.isEmpty }

    /// Notes whether positions come, also those that need not wait.
    mutating func saw(_ messages: [OutgoingMessage], at now: MonotonicTime) {
        if messages.contains(where: \.isPosition) { positionAt = now }
    }

    /// - Returns: the displaced message, if any.
    mutating func add(_ message: OutgoingMessage, at now: MonotonicTime) -> OutgoingMessage? {
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
        while let next = others.first {
            guard publish(next) else { return }
            others.removeFirst()
        }
        while let place = next(over: line, at: now) {
            guard publish(slots[place]) else { return }
            wasPosition = slots[place].isPosition
            slots.remove(at: place)
        }
        isWaiting = false
    }

    /// The place of the slot whose turn it is; nil if none may be sent now.
    private func next(over line: BrokerLine?, at now: MonotonicTime) -> Int? {
        if !wasPosition, let position = slots.firstIndex(where: \.isPosition) { return position }
        let hasPositions = positionAt.map { now < $0.advanced(by: Self.positionInterval) } ?? false
        guard hasPositions, let line else { return slots.indices.first }
        return slots.firstIndex { !line.isHeldUp(by: $0.payload.count) }
    }

    /// Empties the outbox: the next session publishes newer live values.
    /// - Returns: the messages that waited.
    mutating func sessionEnded() -> [OutgoingMessage] {
        defer { (slots, others, isWaiting) = ([], [], false) }
        return Array(others) + slots
    }
}

extension OutgoingMessage {
    /// Of retained messages only positions have a history.
    fileprivate var isPosition: Bool { isRetained && historyTopic != nil }
}
