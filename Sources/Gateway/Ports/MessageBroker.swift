/// The MQTT session as the gateway needs it.
public protocol MessageBroker: Sendable {
    /// Messages that wait in front of the broker.
    var queueDepth: Int { get }
    /// Messages from the broker that were dropped: they came faster than they were handled, or were too large.
    var incomingDropped: Int { get }
    /// Topics that the broker doesn't let us subscribe to. They are tried again every 30 s.
    var refusedSubscriptions: [String] { get }
    /// Calls `body` with what happens in the session, in order, until ``stop()``. One caller. The broker's messages
    /// wait, bounded, while `body` is at work.
    func receive(_ body: (BrokerEvent) async -> Void) async
    /// Hands a message to the session. ``BrokerEvent/acknowledged(_:)`` names its key once the broker has it. If the
    /// session ends before, the message is forgotten.
    func publish(_ message: OutgoingMessage) -> PublishOutcome
    /// The same for several messages that belong together, in order, which is cheaper: one wake for all.
    func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome]
    /// Begins to connect, and goes on reconnecting until ``stop()``.
    func start()
    /// Sends what was taken, disconnects cleanly and returns within about two seconds.
    func stop() async
}

extension MessageBroker {
    public func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome] { messages.map { publish($0) } }
}

/// What became of a message.
public enum PublishOutcome: Equatable, Sendable {
    /// It is on its way.
    case taken
    /// Too many messages wait for the broker already; ``BrokerEvent/drained`` says when to try again.
    case full
    /// There is no session.
    case offline
    /// The broker takes no packet of more than `limit` bytes: the message is to be dropped and logged.
    case tooLarge(limit: Int)
}
