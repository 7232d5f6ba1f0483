public import FlightMath
import GRDB
public import Gateway
public import GatewayReports
import Synchronization

/// All data that outlives the process, in one SQLite file: one writer, WAL, `synchronous=NORMAL`.
///
/// A new file replaces a damaged or deleted one. With a full disk or a directory that can't be written, each call fails
/// with the reason until one succeeds. The gateway goes on in all these cases.
///
/// Every call runs on the store's own executor, one after another.
public final class FlightStore: GatewayStore {
    private let executor: (any TaskExecutor)?
    let database: LazyDatabase
    let bounds: StoreBounds
    /// The number of messages in the spool, kept because counting reads all its pages.
    private let spooled: SpoolCount

    private final class SpoolCount: Sendable {
        let value = Mutex<Int?>(nil)
    }

    /// - Parameters:
    ///   - path: the file. A missing file or directory is created, readable by the owner only.
    ///   - executor: the store's own; nil runs each call on its caller's.
    ///   - onReplaced: called with a sentence when a new file has replaced a damaged or deleted one.
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

    /// Closes the file, so that SQLite writes its WAL back. A later call opens it again.
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

/// The store's limits.
public struct StoreBounds: Equatable, Sendable {
    /// The most messages in the spool.
    public var messages: Int
    public var messageAgeMilliseconds: Int64
    public var flightAgeMilliseconds: Int64
    /// The file's size. If it is larger, old flights are deleted, but no messages.
    public var bytes: Int

    public init(messages: Int, messageHours: Int, flightDays: Int, megabytes: Int) {
        self.messages = messages
        messageAgeMilliseconds = Int64(messageHours) * 3_600_000
        flightAgeMilliseconds = Int64(flightDays) * 86_400_000
        bytes = megabytes * 1_000_000
    }
}
