/// How long a connection of the page may take.
public struct ConnectionLimits: Sendable {
    /// For a request's head, and again for its body.
    public var request = Duration.seconds(5)
    /// Between two requests.
    public var idle = Duration.seconds(30)
    /// How long a client may read nothing.
    public var stall = Duration.seconds(10)
    /// How long the server still reads after it has sent its last bytes. Closing a socket with unread input resets the
    /// connection, and the client would lose these bytes.
    public var farewell = Duration.seconds(1)

    public init() {}
}
