/// The largest packet that the broker takes.
///
/// An MQTT 5 broker says it at the beginning of a session. Another one hangs up in the middle of a packet that is too
/// large for it: when that happens twice with a message of the same topic under way, the limit is taken to be below it.
/// Where a topic has shown this once, its next message that is too large takes a quarter off: one whose size changes, as a
/// predicted path, would else end a session for every byte that it shrinks.
struct PacketLimit: Equatable {
    /// A message with the broker.
    struct Message: Equatable {
        var topic: String
        var bytes: Int
    }

    private struct Learned: Equatable {
        var limit: Int
        var topic: String
        var at: ContinuousClock.Instant
    }

    /// No broker has a limit below this many bytes; smaller messages are never suspected.
    static let leastSuspect = 1024
    /// After this the broker may have been set up differently.
    static let memory = Duration.seconds(3600)

    private var suspect: Message?
    private var learned: Learned?

    /// What may be sent; nil for anything.
    mutating func bytes(told: Int?, at now: ContinuousClock.Instant) -> Int? {
        if let learned, now - learned.at >= Self.memory { self.learned = nil }
        return [told, learned?.limit].compactMap { $0 }.min()
    }

    /// The broker said of this message that it is too large.
    mutating func refused(_ message: Message, at now: ContinuousClock.Instant) {
        let isKnown = learned?.topic == message.topic
        let limit = isKnown ? max(message.bytes * 3 / 4, Self.leastSuspect) : message.bytes - 1
        learned = Learned(limit: min(limit, message.bytes - 1), topic: message.topic, at: now)
    }

    /// The broker hung up while it had these, or just when it had acknowledged them.
    /// - Parameter isCertain: it said that a packet was too large.
    /// - Returns: the message that was too large for it, once that is known.
    mutating func sessionEnded(
        underWay: some Sequence<Message>, isCertain: Bool, at now: ContinuousClock.Instant
    ) -> Message? {
        guard let largest = underWay.max(by: { $0.bytes < $1.bytes }), largest.bytes >= Self.leastSuspect else {
            suspect = nil
            return nil
        }
        guard isCertain || suspect?.topic == largest.topic else {
            suspect = largest
            return nil
        }
        suspect = nil
        refused(largest, at: now)
        return largest
    }

    /// There is a suspect: the hang-up says nothing of other clients.
    var isSuspicious: Bool { suspect != nil }
}
