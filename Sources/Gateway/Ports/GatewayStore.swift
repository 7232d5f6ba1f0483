public import FlightMath
public import GatewayReports

/// Where everything lies that outlives the process: flights, what commands have set, and the messages that the broker
/// has not acknowledged. One call at a time.
public protocol GatewayStore: Sendable {
    /// What earlier runs have left.
    /// - Parameter now: the wall clock; what lies too far ahead of it was recorded by a clock that was wrong.
    func open(at now: WallTime) async throws(StoreError) -> StoredState
    /// Writes all of it or nothing: first what is to go, then what is to stay. Then drops the oldest beyond the bounds.
    /// - Parameter now: the wall clock, for the bounds of age; nil when it is not to be trusted.
    func save(_ batch: StoreBatch, now: WallTime?) async throws(StoreError) -> SaveResult
    /// The oldest messages with a key above `key`; fewer than `limit` are the last ones.
    func messages(after key: UInt64, limit: Int) async throws(StoreError) -> [SpooledMessage]
}

/// What a start finds in the store.
public struct StoredState: Equatable, Sendable {
    public var memory = GatewayMemory()
    /// No message has had a higher key; 0 when there was none.
    public var lastKey: UInt64 = 0
    /// Messages that wait.
    public var spooled = 0

    public init(memory: GatewayMemory = GatewayMemory(), lastKey: UInt64 = 0, spooled: Int = 0) {
        self.memory = memory
        self.lastKey = lastKey
        self.spooled = spooled
    }
}

/// What goes to the store in one transaction.
public struct StoreBatch: Equatable, Sendable {
    /// Messages to keep, by key.
    public var messages: [SpooledMessage]
    /// Keys of messages to forget.
    public var removals: [UInt64]
    /// What to record, oldest first.
    public var entries: [FlightLogEntry]

    public init(messages: [SpooledMessage] = [], removals: [UInt64] = [], entries: [FlightLogEntry] = []) {
        self.messages = messages
        self.removals = removals
        self.entries = entries
    }

    var isEmpty: Bool { messages.isEmpty && removals.isEmpty && entries.isEmpty }
}

/// What became of a batch.
public struct SaveResult: Equatable, Sendable {
    /// Messages that wait in the store now.
    public var spooled: Int
    /// Messages that were dropped for the bounds.
    public var dropped: Int

    public init(spooled: Int, dropped: Int) {
        self.spooled = spooled
        self.dropped = dropped
    }
}
