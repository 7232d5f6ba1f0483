import DequeModule
import Gateway

/// Messages that wait for room in the broker's session: the newest of each retained topic, and up to ``limit`` others.
struct Outbox {
    /// The most messages that are not retained (events and answers). The oldest is displaced.
    static let limit = 500

    private var newest: [String: OutgoingMessage] = [:]
    private var others: Deque<OutgoingMessage> = []
    private(set) var superseded = 0

    var count: Int { newest.count + others.count }
    var isEmpty: Bool { newest.isEmpty && others.isEmpty }

    /// - Returns: the displaced message, if any.
    mutating func add(_ message: OutgoingMessage) -> OutgoingMessage? {
        if message.isRetained {
            let old = newest.updateValue(message, forKey: message.topic)
            if old != nil { superseded += 1 }
            return old
        }
        others.append(message)
        return others.count > Self.limit ? others.popFirst() : nil
    }

    /// Removes messages as long as `publish` takes them.
    mutating func drain(into publish: (OutgoingMessage) -> Bool) {
        while let next = others.first {
            guard publish(next) else { return }
            others.removeFirst()
        }
        for (topic, message) in newest.sorted(by: { $0.key < $1.key }) {
            guard publish(message) else { return }
            newest[topic] = nil
        }
    }

    /// Empties the outbox: the next session publishes newer live values.
    /// - Returns: the messages that waited.
    mutating func sessionEnded() -> [OutgoingMessage] {
        defer { (newest, others) = ([:], []) }
        return Array(others) + newest.values
    }
}
