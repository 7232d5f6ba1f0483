import GRDB
import GatewayReports

/// Rows in the order of a column, each value of which stands once.
struct OrderedRows {
    /// The statement without its order.
    var sql: String
    var arguments: StatementArguments
    var key: String
    /// From the highest key to the lowest.
    var isDescending = false
}

// Pages that SQLite can't read, because the disk gives other bytes or none.
extension RowFaults {
    /// - Returns: nil if SQLite can't read a page.
    /// - Throws: also then, if pages are not left out.
    func readable<Value>(_ table: String, _ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as DatabaseError where leavesOutPages && error.isOfAPage {
            note(error, in: table)
            return nil
        }
    }

    /// The first values of some rows. A damaged row does not count, so a shorter answer means that no row is left.
    ///
    /// SQLite stops at a page that it can't read. Then the rows are read from their other end, too, and what lies
    /// between is left out.
    func values<Value>(
        _ table: String, _ rows: OrderedRows, _ database: Database, limit: Int = .max, _ decode: (Row) throws -> Value
    ) throws -> [Value] {
        let begin = try part(of: rows, table, database, limit: limit, decode)
        guard !begin.isWhole else { return begin.values }
        var other = rows
        other.isDescending.toggle()
        let end = try part(of: other, table, database, limit: .max, decode)
        // The page could be read after all.
        let all = end.isWhole ? [] : begin.values
        return Array((all + end.values.reversed()).prefix(limit))
    }

    /// A flight's rows of a table.
    /// - Parameter condition: only these rows, with its arguments.
    func values<Value>(
        _ rows: FlightRows<Value>, ofFlight id: Int64, _ database: Database, where condition: String = "TRUE",
        _ arguments: StatementArguments = [], isDescending: Bool = false, limit: Int = .max
    ) throws -> [Value] {
        let ordered = OrderedRows(
            sql: "SELECT \(rows.columns) FROM \(rows.table) WHERE flight = ? AND \(condition)",
            arguments: [id] + arguments, key: rows.order, isDescending: isDescending)
        return try values(rows.name, ordered, database, limit: limit, rows.decode)
    }

    /// - Returns: `isWhole` is false if a page ended it.
    private func part<Value>(
        of rows: OrderedRows, _ table: String, _ database: Database, limit: Int, _ decode: (Row) throws -> Value
    ) throws -> (values: [Value], isWhole: Bool) {
        var values: [Value] = []
        let end: Void? = try readable(table) {
            let cursor = try Row.fetchCursor(
                database, sql: "\(rows.sql) ORDER BY \(rows.key)\(rows.isDescending ? " DESC" : "")",
                arguments: rows.arguments)
            while values.count < limit, let row = try cursor.next() {
                if let value = try read(table, row, decode) { values.append(value) }
            }
        }
        return (values, end != nil)
    }
}

extension DatabaseError {
    /// One page is not what SQLite wrote, or the disk does not give it. Other pages may be all right.
    fileprivate var isOfAPage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_IOERR }
}
