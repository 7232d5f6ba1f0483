/// The MQTT session as the gateway needs it.
public protocol MessageBroker: Sendable {
    /// Messages that wait in front of the broker.
    var queueDepth: Int { get }
    /// Messages from the broker that came faster than they were taken.
    var incomingDropped: Int { get }
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
    /// The broker takes no packet of more than `limit` bytes: the message is to be forgotten, and told of.
    case tooLarge(limit: Int)
}

/// What the MQTT session reports.
public enum BrokerEvent: Equatable, Sendable {
    /// Connected and subscribed: everything retained is to be published anew.
    case connected
    /// - reason: nil when it is known already: another client has our id, and takes the session now and then.
    case disconnected(reason: String?)
    /// A connection attempt failed; the next one follows by itself.
    case connectFailed(reason: String)
    case message(IncomingMessage)
    /// Messages wait no longer: ``MessageBroker/publish(_:)`` has room again.
    case drained
    /// The broker has the messages with these keys.
    case acknowledged([UInt64])
    /// The broker has not taken this message, which is lost alone; a key of it counts as acknowledged.
    case refused(topic: String, bytes: Int, reason: String)
    /// The broker lets nobody with our login listen there: in this session nothing arrives on this topic.
    case subscriptionRefused(topic: String, reason: String)
}

/// A message for the broker.
public struct OutgoingMessage: Equatable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var qos: UInt8
    public var isRetained: Bool
    /// MQTT 5 message expiry, seconds; the broker forgets the message then.
    public var expirySeconds: UInt32?
    /// MQTT 5 correlation data of the request that this answers.
    public var correlationData: [UInt8]?
    /// Where it is replayed to when the broker could not have it at once; nil for what is of no use later.
    public var historyTopic: String?
    /// Given by the spool, to every message with a history topic.
    public var key: UInt64?

    public init(
        topic: String, payload: [UInt8], qos: UInt8 = 1, isRetained: Bool = false, expirySeconds: UInt32? = nil,
        correlationData: [UInt8]? = nil, historyTopic: String? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
        self.expirySeconds = expirySeconds
        self.correlationData = correlationData
        self.historyTopic = historyTopic
    }
}

/// A message from the broker.
public struct IncomingMessage: Equatable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var isRetained: Bool
    /// It may be an old, retained one although it doesn't show it: on MQTT 3.1.1, within a second of the subscription.
    public var mayBeRetained: Bool
    public var responseTopic: String?
    public var correlationData: [UInt8]?

    public init(
        topic: String, payload: [UInt8], isRetained: Bool = false, mayBeRetained: Bool = false,
        responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.mayBeRetained = mayBeRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}
