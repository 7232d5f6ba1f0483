/// Where messages wait that the broker has not acknowledged: on disk, in the order of their keys.
public protocol SpoolStore: Sendable {
    /// The newest key that was ever used; 0 when none was.
    func lastKey() async throws(StoreError) -> UInt64
    /// Messages that wait.
    func count() async throws(StoreError) -> Int
    /// Adds messages, then drops the oldest beyond the bounds of count and age.
    /// - Parameter now: the wall clock, for the age; nil when it is not to be trusted.
    /// - Returns: how many were dropped.
    func append(_ messages: [SpooledMessage], now: WallTime?) async throws(StoreError) -> Int
    func remove(_ keys: [UInt64]) async throws(StoreError)
    /// The oldest messages with a key above `key`.
    func messages(after key: UInt64, limit: Int) async throws(StoreError) -> [SpooledMessage]
}

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

/// Why the disk did not do what it was asked.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Serves as log and metric label.
    public enum Code: String, CaseIterable, Sendable {
        case full
        case readOnly = "read_only"
        case corrupt
        case inputOutput = "input_output"
    }

    public var code: Code
    public var detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
