public import GatewayReports
public import ReceiverProtocol

/// A way to reach a receiver. Opens links, one at a time. Adapters implement it.
public protocol ReceiverTransport: Sendable {
    /// The address for logs: `tcp car:2000`.
    var name: String { get }
    /// The waits between attempts. They are shorter for a transport whose attempts themselves take long.
    var backoff: Backoff { get }
    /// Opens a link, or throws the reason. Cancelling the task stops the attempt.
    /// - Parameter report: receives news, now and as long as the link lives; returns at once.
    func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection
}

extension ReceiverTransport {
    public var backoff: Backoff { Backoff() }
}

/// An open link. It ends when ``next()`` returns nil or throws, or with ``close()``.
public protocol ReceiverConnection: Sendable {
    var peer: ReceiverPeer { get }
    /// The next bytes; nil at the end of a recording.
    func next() async throws(TransportError) -> ReceivedChunk?
    /// Returns when the other side has accepted the bytes.
    func write(_ bytes: [UInt8]) async throws(TransportError)
    /// Ends the link, so that the receiver accepts another one. Does nothing if the link has ended.
    func close() async
}

/// Bytes and the time of their arrival.
public struct ReceivedChunk: Equatable, Sendable {
    public var bytes: [UInt8]
    public var at: MonotonicTime

    public init(bytes: [UInt8], at: MonotonicTime) {
        self.bytes = bytes
        self.at = at
    }
}

/// The other end of a link.
public struct ReceiverPeer: Equatable, Sendable {
    /// The advertised name, or the device or host of a byte stream.
    public var name: String
    /// A Bluetooth address; nil for byte streams.
    public var address: String?
    /// The link's signal strength, not the sonde's; nil for byte streams.
    public var rssiDBm: Int?
    /// The longest single write, bytes.
    public var maximumWriteLength: Int

    public init(name: String, address: String? = nil, rssiDBm: Int? = nil, maximumWriteLength: Int) {
        self.name = name
        self.address = address
        self.rssiDBm = rssiDBm
        self.maximumWriteLength = maximumWriteLength
    }
}
