import GRDB
import GatewayCore
import Glibc
import Synchronization

/// The database file: opened at the first use, and again after a failure that closed it.
final class LazyDatabase: Sendable {
    private let path: String
    private let onReplaced: @Sendable (String) -> Void
    private let queue = Mutex<DatabaseQueue?>(nil)

    init(path: String, onReplaced: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.onReplaced = onReplaced
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run { try await $0.write(body) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run { try await $0.read(body) }
    }

    private func run<Value>(
        _ body: (DatabaseQueue) async throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await body(try opened())
        } catch {
            throw failed(error)
        }
    }

    /// A damaged file fails here, or at any later call; both move it aside, once.
    private func opened() throws -> DatabaseQueue {
        try queue.withLock { queue in
            if let queue { return queue }
            let fresh: DatabaseQueue
            do {
                fresh = try Self.open(path)
            } catch let error as DatabaseError where StoreError(error).code == .corrupt {
                moveAside(error)
                fresh = try Self.open(path)
            }
            queue = fresh
            return fresh
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        // Somebody who looks into the file must not look like a disk that fails.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // A WAL that a burst has blown up is cut back at the next checkpoint.
            try database.execute(sql: "PRAGMA journal_size_limit = 1000000")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try Schema.migrator.migrate(queue)
        // Not the points: months of them would hold up the start. What is wrong there shows when it is read.
        for table in ["spool", "setting", "flight"] {
            let verdict = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(\(table))") }
            guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        }
        return queue
    }

    private func failed(_ error: any Error) -> StoreError {
        guard let error = error as? DatabaseError else { return StoreError(.inputOutput, "\(error)") }
        let failure = StoreError(error)
        guard failure.code == .corrupt else { return failure }
        queue.withLock { queue in
            guard let damaged = queue else { return }
            try? damaged.close()
            queue = nil
            moveAside(error)
        }
        return failure
    }

    private func moveAside(_ error: DatabaseError) {
        let aside = path + ".damaged"
        for suffix in ["", "-wal", "-shm"] {
            unlink(aside + suffix)
            rename(path + suffix, aside + suffix)
        }
        onReplaced(
            "The store was damaged (\(error.message ?? "unreadable")); it is now \(aside), and a new one begins.")
    }
}

extension StoreError {
    init(_ error: DatabaseError) {
        let text = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.full, text)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self.init(.readOnly, text)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.corrupt, text)
        default: self.init(.inputOutput, text)
        }
    }
}
