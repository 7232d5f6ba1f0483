/// What a session reports.
public enum MosquittoEvent: Equatable, Sendable {
    case connected
    case disconnected(MosquittoFailure)
    case connectFailed(MosquittoFailure)
    case message(MosquittoMessage)
    /// There is room for messages again.
    case drained
    /// The broker has acknowledged the messages with these keys, in its order.
    case acknowledged([UInt64])
    /// The broker doesn't take this message, which is dropped alone; a key of it counts as acknowledged.
    case refused(topic: String, bytes: Int, reason: String)
    /// The broker doesn't let the client listen there: nothing arrives on this topic in this session.
    case subscriptionRefused(topic: String, reason: String)
}
