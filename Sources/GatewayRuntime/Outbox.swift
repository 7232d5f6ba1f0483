import DequeModule
import Gateway

/// Messages that the broker session has no room for: of retained topics the newest, of the others as many as fit.
struct Outbox {
    /// Events and answers kept at most; the oldest gives way.
    static let limit = 500

    private var newest: [String: OutgoingMessage] = [:]
    private var others: Deque<OutgoingMessage> = []
    private(set) var superseded = 0

    var count: Int { newest.count + others.count }
    var isEmpty: Bool { newest.isEmpty && others.isEmpty }

    /// - Returns: the message that had to give way, if it did.
    mutating func add(_ message: OutgoingMessage) -> OutgoingMessage? {
        if message.isRetained {
            let old = newest.updateValue(message, forKey: message.topic)
            if old != nil { superseded += 1 }
            return old
        }
        others.append(message)
        return others.count > Self.limit ? others.popFirst() : nil
    }

    /// Hands on what `publish` takes; stops at the first that it doesn't.
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

    /// The session ended: live values will be published anew, and newer.
    /// - Returns: what waited.
    mutating func sessionEnded() -> [OutgoingMessage] {
        defer { (newest, others) = ([:], []) }
        return Array(others) + newest.values
    }
}
