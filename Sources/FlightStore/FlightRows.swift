import GRDB

/// How the rows of a table with a flight's records are read.
struct FlightRows<Value: Sendable>: Sendable {
    var table: String
    /// What ``decode`` reads, in this order.
    var columns: String
    /// The columns after `flight` in the table's key.
    var order = "at"
    /// The rows' name, for people.
    var name: String
    /// Throws ``Damage`` for a row that can't be right.
    var decode: @Sendable (Row) throws -> Value
}

/// How many rows flights have, by table, in one transaction. Counting them for each new row would take longer the more
/// there are.
struct RowCounts {
    private struct Place: Hashable {
        var table: String
        var flight: Int64
    }

    private var counts: [Place: Int] = [:]

    /// Inserts one row, unless the flight has the most rows that it may have.
    /// - Parameter sql: one INSERT OR IGNORE. A row that replaced another one would count twice.
    mutating func insert(
        into table: String, of flight: StoredFlight, most: Int, _ database: Database, sql: String,
        _ arguments: StatementArguments
    ) throws {
        let place = Place(table: table, flight: flight.id)
        let count =
            try counts[place]
            ?? Int.fetchOne(
                database.cachedStatement(sql: "SELECT count(*) FROM \(table) WHERE flight = ?"),
                arguments: [flight.id]) ?? 0
        counts[place] = count
        guard count < most else { return }
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
        counts[place] = count + database.changesCount
    }
}
