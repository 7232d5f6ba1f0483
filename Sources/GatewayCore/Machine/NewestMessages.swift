import ReceiverProtocol

/// The newest value of every retained topic, for publishing anew when a broker session begins.
struct NewestMessages: Sendable {
    /// Position, radio and tracker expire on the broker after this time, seconds.
    static let expirySeconds: UInt32 = 120

    var position: PositionReport?
    var radio: RadioReport?
    /// Retained messages whose text doesn't age: states and settings, by topic.
    private(set) var steady: [String: OutgoingMessage] = [:]

    mutating func keep(_ message: OutgoingMessage) {
        steady[message.topic] = message
    }

    /// What is left of ``expirySeconds`` for something received at `moment`; nil when nothing is.
    static func remaining(of moment: Moment, at now: MonotonicTime) -> UInt32? {
        let age = now.milliseconds(since: moment.monotonic) / 1000
        return age < Int64(expirySeconds) ? expirySeconds - UInt32(max(0, age)) : nil
    }
}
