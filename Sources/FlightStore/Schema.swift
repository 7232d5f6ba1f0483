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
            // Single values: the last receiver, options that commands stored, the highest key of the spool.
            try database.create(table: "setting") { table in
                table.primaryKey("name", .text)
                table.column("value", .text).notNull()
            }
            try database.create(table: "flight") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("serial", .text).notNull().indexed()
                table.column("sonde_type", .text)
                table.column("first_at", .integer).notNull()
                table.column("last_at", .integer).notNull()
            }
            // Times in milliseconds since 1970, degrees, metres, metres a second.
            try database.create(table: "point") { table in
                table.column("flight_id", .integer).notNull().references("flight", onDelete: .cascade)
                table.column("time", .integer).notNull()
                table.column("source", .text).notNull()
                table.column("latitude", .double).notNull()
                table.column("longitude", .double).notNull()
                table.column("altitude", .double)
                table.column("horizontal_speed", .double)
                table.column("vertical_speed", .double)
                table.column("frequency", .double)
                table.primaryKey(["flight_id", "time"])
            }
        }
        return migrator
    }
}
