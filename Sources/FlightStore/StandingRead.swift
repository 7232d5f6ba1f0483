import GRDB

/// A look into the database that goes on between the transactions of one connection that write.
///
/// Each transaction first takes a place among the WAL's readers and leaves it at its end: four system calls, of the six
/// for locks. Who has a place already keeps it. But the WAL begins anew only when nobody has one, so that it is left
/// now and then, and after everything large (sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
///
///     what is committed            the place
///     little                       is taken, if there is none, and kept
///     little, the 60th time        is left
///     much                         is left
///     after somebody else wrote    was left, and is not taken yet: this commit lets the WAL begin anew
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
    /// The next transaction is to be committed without a place.
    private var makesWay = false

    var isStanding: Bool { cursor != nil }

    /// Right after a transaction began.
    func note(changesOf database: Database) { changes = database.totalChangesCount }

    /// Right before the transaction is committed: what comes then may be the WAL's new beginning.
    func willCommit(_ database: Database) throws {
        let isSmall = database.totalChangesCount - changes <= Self.small
        defer { makesWay = false }
        guard cursor == nil else {
            transactions += 1
            if transactions >= Self.limit || !isSmall { end() }
            return
        }
        guard isSmall, !makesWay else { return }
        // There is always a table, and of a cursor that is at a row the read goes on.
        let cursor = try Row.fetchCursor(database, sql: "SELECT 1 FROM sqlite_schema")
        _ = try cursor.next()
        (self.cursor, transactions) = (cursor, 0)
    }

    /// Somebody else is at the file.
    func makeWay() {
        end()
        makesWay = true
    }

    /// Before the connection is closed, too.
    func end() { cursor = nil }
}
