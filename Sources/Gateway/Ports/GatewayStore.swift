public import FlightMath
public import GatewayReports

/// Keeps everything that outlives the process: flights, the settings of commands, and the messages that the broker has
/// not acknowledged. Accepts one call at a time.
public protocol GatewayStore: Sendable {
    /// Opens the store and reads the state of earlier runs.
    /// - Parameter now: the wall clock. Records too far ahead of it were made with a wrong clock.
    func open(at now: WallTime) async throws(StoreError) -> StoredState
    /// Writes the whole batch or nothing: first the removals, then the additions. Then deletes the oldest data beyond
    /// the bounds. A power cut can take the batch back until ``sync()`` has returned.
    /// - Parameter now: the wall clock, for the bounds of age; nil if it may be wrong.
    func save(_ batch: StoreBatch, now: WallTime?) async throws(StoreError) -> SaveResult
    /// Returns when a power cut can't take back what was saved before.
    func sync() async throws(StoreError)
    /// The oldest messages with a key above `key` that are not older than ``messageAge``. If they are fewer than
    /// `limit`, there are no more.
    /// - Parameter now: the wall clock, for the bound of age; nil if it may be wrong.
    func messages(after key: UInt64, limit: Int, now: WallTime?) async throws(StoreError) -> SpoolPage
    /// A message that is older is not sent any more.
    var messageAge: Duration { get }
    /// The number of rows that could not be read and were left out since the start.
    var rowsLeftOut: Int { get }
}

extension GatewayStore {
    public var rowsLeftOut: Int { 0 }
}

/// The store's content at the start.
public struct StoredState: Equatable, Sendable {
    public var memory = GatewayMemory()
    /// The highest key of any message so far; 0 if there was none.
    public var lastKey: UInt64 = 0
    /// The number of messages that wait for the broker.
    public var spooled = 0

    public init(memory: GatewayMemory = GatewayMemory(), lastKey: UInt64 = 0, spooled: Int = 0) {
        self.memory = memory
        self.lastKey = lastKey
        self.spooled = spooled
    }
}

/// The content of one transaction.
public struct StoreBatch: Equatable, Sendable {
    /// Messages to keep, by key.
    public var messages: [SpooledMessage]
    /// The keys of messages to delete.
    public var removals: [UInt64]
    /// The entries to record, the oldest first.
    public var entries: [FlightLogEntry]

    public init(messages: [SpooledMessage] = [], removals: [UInt64] = [], entries: [FlightLogEntry] = []) {
        self.messages = messages
        self.removals = removals
        self.entries = entries
    }

    var isEmpty: Bool { messages.isEmpty && removals.isEmpty && entries.isEmpty }
}

/// Messages that were read from the store.
public struct SpoolPage: Equatable, Sendable {
    public var messages: [SpooledMessage]
    /// The number of messages that were deleted because they were too old.
    public var dropped: Int
    /// A message from before this time is too old; nil if the clock may be wrong.
    public var oldest: WallTime?

    public init(messages: [SpooledMessage], dropped: Int = 0, oldest: WallTime?) {
        self.messages = messages
        self.dropped = dropped
        self.oldest = oldest
    }
}

/// The result of saving a batch.
public struct SaveResult: Equatable, Sendable {
    /// The number of messages that wait in the store now.
    public var spooled: Int
    /// The number of messages that were deleted beyond the bounds.
    public var dropped: Int

    public init(spooled: Int, dropped: Int) {
        self.spooled = spooled
        self.dropped = dropped
    }
}
