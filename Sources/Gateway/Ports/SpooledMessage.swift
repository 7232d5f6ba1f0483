public import FlightMath

/// A message in the spool.
public struct SpooledMessage: Equatable, Sendable {
    /// Grows with every message, across restarts. It gives the order of the messages.
    public var key: UInt64
    /// The topic of the replay, `<p>/history/…`.
    public var topic: String
    public var payload: [UInt8]
    /// When the message was made; nil if the clock may have been wrong.
    public var at: WallTime?

    public init(key: UInt64, topic: String, payload: [UInt8], at: WallTime?) {
        self.key = key
        self.topic = topic
        self.payload = payload
        self.at = at
    }

    /// The most answers to commands in the spool. The oldest are dropped, so that they never displace positions.
    public static let mostAnswers = 100

    /// The end of the topic of answers.
    public static let answerTopic = "/command/response"

    public var isAnswer: Bool { topic.hasSuffix(Self.answerTopic) }
}
