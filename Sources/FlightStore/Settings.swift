import GRDB

// Single values by name: the spool's highest key, the last receiver, settings from commands.
extension Database {
    func setting(_ name: String, faults: RowFaults) throws -> String? {
        let statement = try cachedStatement(sql: "SELECT value FROM setting WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [name]).flatMap { row in
            try faults.read("settings", row) { try $0.text(0, name) }
        }
    }

    /// - Parameter value: nil deletes the setting.
    func set(_ name: String, to value: String?) throws {
        guard let value else { return try execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name]) }
        try cachedStatement(sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)")
            .execute(arguments: [name, value])
    }
}
