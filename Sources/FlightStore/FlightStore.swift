public import FlightMath
import GRDB
public import Gateway
public import GatewayReports
import Synchronization

/// All data that outlives the process, in one SQLite file: one writer, WAL, `synchronous=NORMAL`. ``sync()`` makes all
/// saved data safe from a power cut.
///
/// A new file replaces a damaged or deleted one. With a full disk or a directory that can't be written, each call fails
/// with the reason until one succeeds. The gateway goes on in all these cases.
///
/// Every call runs on the store's own executor, one after another.
public final class FlightStore: GatewayStore {
    private let executor: (any TaskExecutor)?
    let database: LazyDatabase
    let bounds: StoreBounds
    private let onClockJump: @Sendable (_ days: Int64) -> Void
    private let known: Known
    let faults: RowFaults

    /// Values that each save needs. Reading them from the file would take long.
    private final class Known: Sendable {
        struct Values {
            /// The number of messages in the spool.
            var spooled: Int?
            /// The time of the newest record, or of the last save with a right clock, in milliseconds since 1970.
            var newest: Int64?
            /// When flights were last deleted by age, or none was too old.
            var prunedAt: Int64?
        }

        let values = Mutex(Values())
    }

    /// - Parameters:
    ///   - path: the file. A missing file or directory is created, readable by the owner only.
    ///   - executor: the store's own; nil runs each call on its caller's.
    ///   - onClockJump: called when the clock is more than 30 days ahead of the newest record, with the days. For the
    ///     next 30 days nothing is deleted by age.
    ///   - onLeftOut: called with a sentence for a row that can't be read.
    ///   - onReplaced: called with a sentence when another file serves instead of a damaged, deleted or newer one.
    public init(
        path: String, bounds: StoreBounds, executor: (any TaskExecutor)? = nil,
        onClockJump: @escaping @Sendable (_ days: Int64) -> Void = { _ in },
        onLeftOut: @escaping @Sendable (String) -> Void = { _ in },
        onReplaced: @escaping @Sendable (String) -> Void
    ) {
        self.executor = executor
        self.onClockJump = onClockJump
        let known = Known()
        database = LazyDatabase(
            path: path, onOpened: { known.values.withLock { $0 = Known.Values() } }, onReplaced: onReplaced)
        self.bounds = bounds
        self.known = known
        faults = RowFaults(tell: onLeftOut)
    }

    /// The number of rows that could not be read.
    public var rowsLeftOut: Int { faults.count }
    public var messageAge: Duration { .milliseconds(bounds.messageAgeMilliseconds) }

    func forgetSpooled(_ count: Int) {
        known.values.withLock { values in values.spooled = values.spooled.map { max(0, $0 - count) } }
    }

    public func open(at now: WallTime) async throws(StoreError) -> StoredState {
        try await read { [faults] database in
            StoredState(
                memory: try Self.memory(database, until: GatewayMemory.latestBelievable(at: now), faults: faults),
                lastKey: try Self.lastKey(database, faults: faults), spooled: try Self.spooledCount(database))
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

    public func sync() async throws(StoreError) {
        try await withTaskExecutorPreference(executor) { () throws(StoreError) in try database.sync() }
    }

    public func save(_ batch: StoreBatch, now: WallTime?) async throws(StoreError) -> SaveResult {
        let (bounds, known, faults) = (bounds, known, faults)
        let (result, values, jumpDays) = try await write { database in
            var values = known.values.withLock { $0 }
            if now != nil, values.newest == nil { values.newest = try AgeClock.newestRecord(database) }
            let clock = try AgeClock(now, newest: values.newest, database, faults: faults)
            var count = try values.spooled ?? Self.spooledCount(database)
            count -= try Self.remove(batch.removals, database)
            count += try Self.append(batch.messages, database)
            var dropped = batch.messages.contains(where: \.isAnswer) ? try Self.pruneAnswers(database) : 0
            dropped += try Self.prune(database, to: bounds, count: count - dropped, clock)
            let hasBegun = try Self.record(batch.entries, database, now: now, faults: faults)
            // A flight has a few megabytes, so looking at the size once per new flight is enough.
            if hasBegun { try Self.pruneBySize(database, to: bounds) }
            if let now = clock.now, hasBegun || now - (values.prunedAt ?? 0) >= AgeClock.purgeInterval {
                try Self.pruneByAge(database, to: bounds, clock, faults: faults)
                values.prunedAt = now
            }
            values.newest = now?.millisecondsSince1970 ?? values.newest
            values.spooled = count - dropped
            return (SaveResult(spooled: count - dropped, dropped: dropped), values, clock.jumpDays)
        }
        known.values.withLock { $0 = values }
        if let jumpDays { onClockJump(jumpDays) }
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
