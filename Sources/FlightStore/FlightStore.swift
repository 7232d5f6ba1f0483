public import FlightMath
import GRDB
public import Gateway
public import GatewayReports
import Synchronization

/// Everything that outlives the process, in one SQLite file: one writer, WAL, `synchronous=NORMAL`.
///
/// A file that is damaged or was deleted is replaced by a new one; a directory that can't be written or a full disk
/// makes every call fail with the reason, until one succeeds. Nothing of it ever stops the gateway.
///
/// Every call runs on the store's own executor, one after another.
public final class FlightStore: GatewayStore {
    private let executor: (any TaskExecutor)?
    let database: LazyDatabase
    let bounds: StoreBounds
    /// Messages in the spool: counting them reads every page.
    private let spooled: SpoolCount

    private final class SpoolCount: Sendable {
        let value = Mutex<Int?>(nil)
    }

    /// - Parameters:
    ///   - path: the file; it and its directory are made, for the owner's eyes only, where they are missing.
    ///   - executor: the store's own; nil runs calls where they are made.
    ///   - onReplaced: told with a sentence when a damaged or deleted file gave way to a new one.
    public init(
        path: String, bounds: StoreBounds, executor: (any TaskExecutor)? = nil,
        onReplaced: @escaping @Sendable (String) -> Void
    ) {
        self.executor = executor
        let spooled = SpoolCount()
        database = LazyDatabase(path: path, onOpened: { spooled.value.withLock { $0 = nil } }, onReplaced: onReplaced)
        self.bounds = bounds
        self.spooled = spooled
    }

    public func open(at now: WallTime) async throws(StoreError) -> StoredState {
        try await read { database in
            StoredState(
                memory: try Self.memory(database, until: GatewayMemory.latestBelievable(at: now)),
                lastKey: try Self.lastKey(database), spooled: try Self.spooledCount(database))
        }
    }

    /// Writes back what SQLite keeps beside the file. A later call opens it again.
    public func close() async {
        await withTaskExecutorPreference(executor) { database.close() }
    }

    func read<Value>(_ body: (Database) throws -> Value) async throws(StoreError) -> Value {
        try await withTaskExecutorPreference(executor) { () throws(StoreError) in try database.read(body) }
    }

    func write<Value>(_ body: (Database) throws -> Value) async throws(StoreError) -> Value {
        try await withTaskExecutorPreference(executor) { () throws(StoreError) in try database.write(body) }
    }

    public func save(_ batch: StoreBatch, now: WallTime?) async throws(StoreError) -> SaveResult {
        let (bounds, spooled) = (bounds, spooled)
        let result = try await write { database in
            var count = try spooled.value.withLock { $0 } ?? Self.spooledCount(database)
            count -= try Self.remove(batch.removals, database)
            count += try Self.append(batch.messages, database)
            let dropped = batch.messages.isEmpty ? 0 : try Self.prune(database, to: bounds, count: count, now: now)
            try Self.record(batch.entries, database, within: bounds, now: now)
            return SaveResult(spooled: count - dropped, dropped: dropped)
        }
        spooled.value.withLock { $0 = result.spooled }
        return result
    }
}

/// How much may be kept.
public struct StoreBounds: Equatable, Sendable {
    /// In the spool.
    public var messages: Int
    public var messageAgeMilliseconds: Int64
    public var flightAgeMilliseconds: Int64
    /// Of the file; flights go for it, messages don't.
    public var bytes: Int

    public init(messages: Int, messageHours: Int, flightDays: Int, megabytes: Int) {
        self.messages = messages
        messageAgeMilliseconds = Int64(messageHours) * 3_600_000
        flightAgeMilliseconds = Int64(flightDays) * 86_400_000
        bytes = megabytes * 1_000_000
    }
}
