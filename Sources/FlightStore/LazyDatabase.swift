import GRDB
import GatewayReports
import Synchronization
import Threads

/// The database. It opens at the first use, and again after a failure that closed it.
///
/// | it finds | it does |
/// | --- | --- |
/// | damage, when it opens or later | reports it, moves the file aside, and repeats the call once on a new file |
/// | a newer version's tables | reports it, leaves the file as it is, and uses another one beside it |
/// | the file was deleted, or another file has its name | reports it, and uses a new file or the other one |
/// | another gateway uses the file | throws `in_use`, so that the two can't damage each other's spool |
/// | another fault | throws its reason; the next call tries again |
final class LazyDatabase: Sendable {
    private struct Opened {
        var file: StoreFile
        var queue: DatabaseQueue
        var identity: StoreFile.Identity?
        var lock: StoreLock
    }

    private let file: StoreFile
    private let onOpened: @Sendable () -> Void
    private let onReplaced: @Sendable (String) -> Void
    private let opened = Mutex<Opened?>(nil)
    private let hasToldOfNewer = Mutex(false)

    init(path: String, onOpened: @escaping @Sendable () -> Void, onReplaced: @escaping @Sendable (String) -> Void) {
        file = StoreFile(path: path)
        self.onOpened = onOpened
        self.onReplaced = onReplaced
    }

    func close() {
        opened.withLock { opened in
            try? opened?.queue.close()
            opened = nil
        }
    }

    /// Runs `body` in one transaction, on the caller's thread, which waits for the disk.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try run { try $0.write(body) }
    }

    /// Returns when all data written before is safe from a power cut.
    func sync() throws(StoreError) {
        _ = try attempt { _ in try opened.withLock { $0?.file ?? file }.syncLog() }
    }

    /// Runs `body` on the caller's thread, which waits for the disk.
    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try run { try $0.read(body) }
    }

    private func run<Value>(_ body: (DatabaseQueue) throws -> Value) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try attempt(body)
        } catch {
            guard error.code == .corrupt else { throw error }
            try moveAside(error)
            return try attempt(body)
        }
    }

    private func attempt<Value>(_ body: (DatabaseQueue) throws -> Value) throws(StoreError) -> Value {
        do {
            return try body(try queue())
        } catch {
            throw error as? StoreError ?? StoreError(error)
        }
    }

    /// The queue of the file that has the name now.
    private func queue() throws -> DatabaseQueue {
        LoopThread.assertMayBlock()
        return try opened.withLock { opened in
            if let opened, opened.file.identity == opened.identity { return opened.queue }
            if let deleted = opened {
                try? deleted.queue.close()
                opened = nil
                onReplaced(
                    "The store was deleted or replaced while it was in use: \(deleted.file.path). A new one begins.")
            }
            let used = try chosen()
            try used.prepare()
            let lock = try StoreLock(of: file.path)
            let queue = try Self.open(used)
            try used.syncLog()
            used.syncNames()
            opened = Opened(file: used, queue: queue, identity: used.identity, lock: lock)
            onOpened()
            return queue
        }
    }

    /// The file to use: the one beside it if a newer version has made this one.
    private func chosen() throws(StoreError) -> StoreFile {
        try file.checkKind()
        guard file.isOfNewerVersion else { return file }
        let isTold = hasToldOfNewer.withLock { isTold in
            defer { isTold = true }
            return isTold
        }
        guard !isTold else { return file.beside }
        onReplaced(
            "The store \(file.path) is of a newer version of this program and stays as it is; this run keeps its flights in "
                + "\(file.beside.path).")
        return file.beside
    }

    private static func open(_ file: StoreFile) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        // Another program that reads the file locks it for a moment. That is not a failing disk.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // After a burst the next checkpoint cuts the large WAL back to this size.
            try database.execute(sql: "PRAGMA journal_size_limit = 1000000")
        }
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try file.checkLastPage(of: queue)
        try Schema.update(queue)
        try queue.read { try Schema.check($0) }
        return queue
    }

    private func moveAside(_ damage: StoreError) throws(StoreError) {
        let aside = try opened.withLock { opened throws(StoreError) in
            let damaged = opened?.file ?? (file.isOfNewerVersion ? file.beside : file)
            try? opened?.queue.close()
            opened = nil
            return try damaged.moveAside()
        }
        onReplaced(
            "The store was damaged (\(damage.detail)); it is now \(aside), and a new one begins. What can be read of it: "
                + "sondygo2mqtt flights recover")
    }
}

extension StoreFile {
    /// SQLite's own, in bytes.
    private static let usualPageSize = 4096

    /// Whether a newer version of this program has made the file. Only reads it; a file that can't be read is not.
    var isOfNewerVersion: Bool {
        // SQLite completes a last page that is cut off. After that nobody could see the fault.
        guard identity != nil, (try? checkLastPage(pageSize: Self.usualPageSize)) != nil else { return false }
        guard let queue = try? openForReading() else { return false }
        defer { try? queue.close() }
        return (try? queue.read { try Schema.isNewer($0) }) ?? false
    }

    /// - Throws: code `corrupt` if the last page is not whole. SQLite would read zeros in place of its rest.
    func checkLastPage(of queue: DatabaseQueue) throws {
        let size = try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
        try checkLastPage(pageSize: size ?? 4096)
    }
}

extension StoreError {
    /// The error for one that GRDB throws.
    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self.init(error)
        case is CancellationError: self.init(.inputOutput, "cancelled")
        // A value that can't be decoded is no reason to give the file up.
        default: self.init(.inputOutput, "\(error)")
        }
    }

    init(_ error: DatabaseError) {
        let text = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.full, text)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self.init(.readOnly, text)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.corrupt, text)
        // Our statements are right, so the file's tables or rows are wrong.
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_FORMAT, .SQLITE_SCHEMA, .SQLITE_TOOBIG:
            self.init(.corrupt, text)
        default: self.init(.inputOutput, text)
        }
    }
}
