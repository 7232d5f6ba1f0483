import Gateway

/// Retained messages that the broker refused for now. The newest value of each topic is sent again after 1, 2, 4 … s.
/// Without that, a broker that is busy at the session's beginning would miss them for the whole session.
struct PostponedMessages {
    private static let retry = RetryPauses(first: .seconds(1), longest: .seconds(30))

    private struct Entry {
        /// The newest value; nil while it is under way.
        var message: OutgoingMessage?
        /// How often the broker has refused the topic.
        var refusals: Int
        var dueAt: ContinuousClock.Instant
    }

    /// By topic. The gateway has some forty retained topics.
    private var entries: [String: Entry] = [:]

    /// When the next message is due; nil if none waits.
    var nextAt: ContinuousClock.Instant? { entries.values.filter { $0.message != nil }.map(\.dueAt).min() }

    /// The broker refused this message, the newest of its topic that was sent, for now. A newer value stays.
    mutating func refused(_ message: OutgoingMessage, at now: ContinuousClock.Instant) {
        let known = entries[message.topic]
        let refusals = known?.refusals ?? 0
        // The spool keeps a message with a key and replays it, so this one is only the live value.
        var live = message
        (live.key, live.historyTopic) = (nil, nil)
        entries[message.topic] = Entry(
            message: known?.message ?? live, refusals: refusals + 1, dueAt: now + Self.retry.pause(after: refusals))
    }

    /// Holds a new value of a topic that waits.
    /// - Returns: false if the topic does not wait, so the message is to be sent.
    mutating func hold(_ message: OutgoingMessage) -> Bool {
        guard message.isRetained, entries[message.topic]?.message != nil else { return false }
        var live = message
        (live.key, live.historyTopic) = (nil, nil)
        entries[message.topic]?.message = live
        return true
    }

    /// The broker has taken a message of this topic.
    mutating func accepted(_ topic: String) {
        guard !entries.isEmpty, let entry = entries[topic], entry.message == nil else { return }
        entries[topic] = nil
    }

    /// The messages that are due. They count as under way.
    mutating func due(at now: ContinuousClock.Instant) -> [OutgoingMessage] {
        guard let nextAt, now >= nextAt else { return [] }
        var messages: [OutgoingMessage] = []
        for (topic, entry) in entries.sorted(by: { $0.value.dueAt < $1.value.dueAt }) where entry.dueAt <= now {
            guard let message = entry.message else { continue }
            messages.append(message)
            entries[topic]?.message = nil
        }
        return messages
    }
}
