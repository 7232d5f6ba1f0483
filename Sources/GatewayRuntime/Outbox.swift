import DequeModule
import GatewayCore

/// Messages that the broker session has no room for: of live topics the newest, of the others as many as fit.
struct Outbox {
    /// Events and answers kept at most; the oldest is dropped and counted.
    static let limit = 500

    private var live: [String: OutgoingMessage] = [:]
    private var others: Deque<OutgoingMessage> = []
    private(set) var superseded = 0
    private(set) var dropped = 0

    var count: Int { live.count + others.count }
    var isEmpty: Bool { live.isEmpty && others.isEmpty }

    mutating func add(_ message: OutgoingMessage) {
        switch message.kind {
        case .live:
            if live.updateValue(message, forKey: message.topic) != nil { superseded += 1 }
        case .answer, .event:
            if others.count == Self.limit {
                others.removeFirst()
                dropped += 1
            }
            others.append(message)
        }
    }

    /// Hands on what `publish` takes; stops at the first that it doesn't.
    mutating func drain(into publish: (OutgoingMessage) -> Bool) {
        while let next = others.first {
            guard publish(next) else { return }
            others.removeFirst()
        }
        for (topic, message) in live.sorted(by: { $0.key < $1.key }) {
            guard publish(message) else { return }
            live[topic] = nil
        }
    }

    /// The session ended: live values will be published anew, and newer.
    mutating func sessionEnded() {
        live = [:]
    }
}
