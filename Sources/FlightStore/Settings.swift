import GRDB

/// Single values by name: the spool's highest key, the last receiver, what commands have set.
extension Database {
    func setting(_ name: String) throws -> String? {
        try String.fetchOne(self, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    /// Nil forgets it.
    func set(_ name: String, to value: String?) throws {
        guard let value else { return try execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name]) }
        try execute(sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", arguments: [name, value])
    }
}
