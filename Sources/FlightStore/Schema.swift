import GRDB

/// The tables, by migration. One that was released is never changed: a new one follows it.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            // Messages that the broker has not acknowledged; `at` is null where the clock was not to be trusted.
            try database.create(table: "spool") { table in
                table.primaryKey("key", .integer)
                table.column("topic", .text).notNull()
                table.column("payload", .blob).notNull()
                table.column("at", .integer)
            }
            // Single values: the highest key that the spool ever had, the last receiver.
            try database.create(table: "setting") { table in
                table.primaryKey("name", .text)
                table.column("value", .text).notNull()
            }
        }
        return migrator
    }
}
