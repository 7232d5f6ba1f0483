/// How long the client waits for a broker, and between its attempts. Tests wait for less.
public struct BrokerTimes: Equatable, Sendable {
    /// How long each step of the first connection may take. A client that tries once takes the longest.
    public var firstStep = MosquittoClient.shortestLimit
    /// The longest pause between two attempts while the broker is away.
    public var longestPause = Duration.seconds(2)
    /// The pause after a fault that somebody has to mend, for example a refused login. The pauses of a busy broker grow
    /// up to it.
    public var refusalPause = Duration.seconds(30)
    /// The time between two attempts at a refused subscription.
    public var subscriptionInterval = Duration.seconds(30)
    /// A living broker acknowledges a message within this time, or within some round trips. A dead line ends by the
    /// keep-alive.
    public var acknowledgementLimit = Duration.seconds(20)
    /// After a cut the broker keeps the session and holds the will back for this time, whole seconds. So a short cut
    /// makes nothing unavailable. MQTT 3.1.1 has no such delay.
    public var willDelay = Duration.seconds(15)

    public init() {}
}
