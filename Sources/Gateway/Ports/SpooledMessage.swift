public import FlightMath

/// A message on its way through the spool.
public struct SpooledMessage: Equatable, Sendable {
    /// Grows with every message, across restarts: the order in which things happened.
    public var key: UInt64
    /// Where it is replayed to, `<p>/history/…`.
    public var topic: String
    public var payload: [UInt8]
    /// When it was to be published; nil when the clock was not to be trusted.
    public var at: WallTime?

    public init(key: UInt64, topic: String, payload: [UInt8], at: WallTime?) {
        self.key = key
        self.topic = topic
        self.payload = payload
        self.at = at
    }
}
