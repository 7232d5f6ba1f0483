/// What a session reports.
public enum MosquittoEvent: Equatable, Sendable {
    case connected
    case disconnected(MosquittoFailure)
    case connectFailed(MosquittoFailure)
    case message(MosquittoMessage)
    /// There is room for messages again.
    case drained
    /// The broker has acknowledged the messages with these keys, in its order, and nobody has asked
    /// ``MosquittoClient/takeAcknowledged()`` for them in time.
    case acknowledged([UInt64])
    /// The broker doesn't take this message, which is dropped alone; a key of it counts as acknowledged.
    case refused(topic: String, bytes: Int, reason: String)
}
