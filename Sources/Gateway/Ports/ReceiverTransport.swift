public import GatewayReports
public import ReceiverProtocol

/// A way to reach a receiver: opens links, one at a time. Adapters implement it; nothing else knows how bytes travel.
public protocol ReceiverTransport: Sendable {
    /// What it connects to, for logs: `tcp car:2000`.
    var name: String { get }
    /// How long to wait between attempts. A transport that takes its own time for each attempt waits less.
    var backoff: Backoff { get }
    /// Opens a link, or says why not. Cancelling the task gives up.
    /// - Parameter report: takes what there is to tell, now and as long as the link lives; returns at once.
    func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection
}

extension ReceiverTransport {
    public var backoff: Backoff { Backoff() }
}

/// One open link. It ends when ``next()`` returns nil or throws, or by ``close()``.
public protocol ReceiverConnection: Sendable {
    var peer: ReceiverPeer { get }
    /// The next bytes that arrived; nil at the end of a finite source (a recording).
    func next() async throws(TransportError) -> ReceivedChunk?
    /// Returns when the receiver's side has taken the bytes.
    func write(_ bytes: [UInt8]) async throws(TransportError)
    /// Ends the link so that the receiver is free again; harmless when it has ended already.
    func close() async
}

/// Bytes and the instant at which they arrived.
public struct ReceivedChunk: Equatable, Sendable {
    public var bytes: [UInt8]
    public var at: MonotonicTime

    public init(bytes: [UInt8], at: MonotonicTime) {
        self.bytes = bytes
        self.at = at
    }
}

/// Who is at the other end of a link.
public struct ReceiverPeer: Equatable, Sendable {
    /// The advertised name, or the device or host that carries the bytes.
    public var name: String
    /// A Bluetooth address; nil for byte streams.
    public var address: String?
    /// Of the link itself, not of the sonde; nil for byte streams.
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
