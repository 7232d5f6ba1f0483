import GRDB

/// A look into the database that goes on between the transactions of one connection that write.
///
/// Each transaction first takes a place among the WAL's readers and leaves it at its end: four system calls, of the six
/// for locks. Who has a place already keeps it. But the WAL begins anew only when nobody has one, so that it is left
/// now and then, and after everything large (sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
///
/// Used on its connection's queue only.
final class StandingRead: @unchecked Sendable {
    /// Transactions in a row.
    private static let limit = 60
    /// Rows that one of them may change: a frame's are a few.
    private static let small = 16

    private var cursor: RowCursor?
    private var transactions = 0
    private var changes = 0

    var isStanding: Bool { cursor != nil }

    /// Right before a transaction begins.
    func begin(in database: Database) throws {
        changes = database.totalChangesCount
        guard cursor == nil else { return }
        // There is always a table, and of a cursor that is at a row the read goes on.
        let cursor = try Row.fetchCursor(database, sql: "SELECT 1 FROM sqlite_schema")
        _ = try cursor.next()
        (self.cursor, transactions) = (cursor, 0)
    }

    /// Right before the transaction is committed: what comes then may be the WAL's new beginning.
    func willCommit(_ database: Database) {
        transactions += 1
        let isSmall = database.totalChangesCount - changes <= Self.small
        if transactions >= Self.limit || !isSmall { end() }
    }

    /// Before the connection is closed, too.
    func end() { cursor = nil }
}
