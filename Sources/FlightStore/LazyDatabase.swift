import GRDB
import GatewayReports
import Synchronization

/// The database: opened at the first use, and again after a failure that closed it.
///
/// | what is found | what is done |
/// | --- | --- |
/// | damage, when it is opened or at any later call | moved aside, told, and the call tried once more on a new file |
/// | the file was deleted, or another one has its name | told, and a new one begun, or that one used |
/// | another gateway has it | the call fails with `in_use`, so that neither spoils the other's spool |
/// | anything else in the way | the call fails with the reason; the next one tries again |
final class LazyDatabase: Sendable {
    private struct Opened {
        var queue: DatabaseQueue
        /// Used on the queue only.
        var standing = StandingRead()
        var identity: StoreFile.Identity?
        var lock: StoreLock
        /// When it was last seen to have the name still.
        var seenAt: ContinuousClock.Instant? = .now

        func close() {
            queue.inDatabase { _ in standing.end() }
            try? queue.close()
        }
    }

    private let file: StoreFile
    private let onOpened: @Sendable () -> Void
    private let onReplaced: @Sendable (String) -> Void
    private let opened = Mutex<Opened?>(nil)

    init(path: String, onOpened: @escaping @Sendable () -> Void, onReplaced: @escaping @Sendable (String) -> Void) {
        file = StoreFile(path: path)
        self.onOpened = onOpened
        self.onReplaced = onReplaced
    }

    deinit { opened.withLock { $0?.close() } }

    /// In one transaction, on the caller's thread, which waits for the disk.
    /// - Parameter lookInterval: the file may have been gone for as long before it is noticed.
    func write<Value>(
        lookInterval: Duration = .zero, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try run(lookInterval: lookInterval) { opened in
            try opened.queue.writeWithoutTransaction { try $0.transaction(beside: opened.standing, body) }
        }
    }

    /// On the caller's thread, which waits for the disk.
    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try run { try $0.queue.read(body) }
    }

    private func run<Value>(
        lookInterval: Duration = .zero, _ body: (Opened) throws -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try attempt(lookInterval: lookInterval, body)
        } catch {
            guard error.code == .corrupt else { throw error }
            try moveAside(error)
            return try attempt(body)
        }
    }

    private func attempt<Value>(
        lookInterval: Duration = .zero, _ body: (Opened) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body(try database(lookInterval: lookInterval))
        } catch {
            // It may have failed because the file is gone.
            opened.withLock { $0?.seenAt = nil }
            throw error as? StoreError ?? StoreError(error)
        }
    }

    /// Of the file that has the name now; for what needs no hurry.
    func queue() throws -> DatabaseQueue { try database().queue }

    private func database(lookInterval: Duration = .zero) throws -> Opened {
        try opened.withLock { opened in
            let now = ContinuousClock.now
            if let opened, let seenAt = opened.seenAt, now - seenAt < lookInterval { return opened }
            if let found = opened, file.identity == found.identity {
                opened?.seenAt = now
                return found
            }
            if let deleted = opened {
                deleted.close()
                opened = nil
                onReplaced("The store was deleted or replaced while it was in use: \(file.path). A new one begins.")
            }
            try file.prepare()
            let lock = try StoreLock(of: file.path)
            let queue = try open()
            let new = Opened(queue: queue, identity: file.identity, lock: lock)
            opened = new
            onOpened()
            return new
        }
    }

    private func open() throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        // Somebody who looks into the file must not look like a disk that fails.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // A WAL that a burst has blown up is cut back at the next checkpoint.
            try database.execute(sql: "PRAGMA journal_size_limit = 1000000")
        }
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try Schema.migrator.migrate(queue)
        try queue.read { try Schema.check($0) }
        return queue
    }

    private func moveAside(_ damage: StoreError) throws(StoreError) {
        let aside = try opened.withLock { opened throws(StoreError) in
            opened?.close()
            opened = nil
            return try file.moveAside()
        }
        onReplaced("The store was damaged (\(damage.detail)); it is now \(aside), and a new one begins.")
    }
}

extension Database {
    /// As the library's own, which compiles its `BEGIN` and its `COMMIT` anew every time, which is every second.
    fileprivate func transaction<Value>(
        beside standing: StandingRead, _ body: (Database) throws -> Value
    ) throws -> Value {
        try begin(beside: standing)
        do {
            standing.note(changesOf: self)
            let value = try body(self)
            try standing.willCommit(self)
            try cachedStatement(sql: "COMMIT").execute()
            return value
        } catch {
            standing.end()
            try? rollback()
            throw error
        }
    }

    private func begin(beside standing: StandingRead) throws {
        // Reset each time that it comes from the cache: one that failed still looks at what it had looked at.
        func begin() throws { try cachedStatement(sql: "BEGIN IMMEDIATE").execute() }
        guard standing.isStanding else { return try begin() }
        do {
            try begin()
        } catch {
            // Somebody else has written after what we look at, or waits until we look away.
            standing.makeWay()
            try begin()
        }
    }
}

extension StoreError {
    /// Of what the library throws.
    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self.init(error)
        case is CancellationError: self.init(.inputOutput, "cancelled")
        // A value that can't be decoded.
        default: self.init(.corrupt, "\(error)")
        }
    }

    private init(_ error: DatabaseError) {
        let text = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.full, text)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self.init(.readOnly, text)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.corrupt, text)
        // Every statement is ours: a table, a column or a row is not what it was made to be.
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_FORMAT, .SQLITE_SCHEMA, .SQLITE_TOOBIG:
            self.init(.corrupt, text)
        default: self.init(.inputOutput, text)
        }
    }
}
