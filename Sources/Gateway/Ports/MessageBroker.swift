public import GatewayReports

/// The MQTT session as the gateway needs it.
public protocol MessageBroker: Sendable {
    /// The number of messages that wait for the broker.
    var queueDepth: Int { get }
    /// The number of the broker's messages that were dropped because they came too fast or were too large.
    var incomingDropped: Int { get }
    /// The topics whose subscription the broker refused. The session retries them every 30 s.
    var refusedSubscriptions: [String] { get }
    /// The server to which the broker has sent its clients last (MQTT 5); nil if it named none in this run.
    var otherServer: String? { get }
    /// The line to the broker; nil without a session.
    var line: BrokerLine? { get }
    /// Calls `body` with the session's events, in order, until ``stop()``. Only one task may call this. While `body`
    /// runs, the broker's messages wait in a bounded queue.
    func receive(_ body: (BrokerEvent) async -> Void) async
    /// Hands a message to the session. ``BrokerEvent/acknowledged(_:)`` reports its key once the broker has it. If the
    /// session ends before that, the session forgets the message.
    func publish(_ message: OutgoingMessage) -> PublishOutcome
    /// Hands several messages to the session, in order. If one finds no room or no session, the rest is not taken
    /// either. One call is cheaper than several, because it wakes the session's thread once.
    func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome]
    /// Connects, and reconnects until ``stop()``.
    func start()
    /// Sends the messages that it has, disconnects cleanly and returns within about two seconds.
    func stop() async
}

extension MessageBroker {
    /// A broker that measures nothing is always fast enough.
    public var line: BrokerLine? { nil }
    public var otherServer: String? { nil }

    public func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome] {
        var end: PublishOutcome?
        return messages.map { message in
            if let end { return end }
            let outcome = publish(message)
            if outcome == .full || outcome == .offline { end = outcome }
            return outcome
        }
    }
}

/// The result of publishing a message.
public enum PublishOutcome: Equatable, Sendable {
    /// The session has the message.
    case taken
    /// Too many messages wait for the broker. Try again after ``BrokerEvent/drained``.
    case full
    /// There is no session.
    case offline
    /// The broker accepts no packet of more than `limit` bytes. Drop the message and log it.
    case tooLarge(limit: Int)
}
