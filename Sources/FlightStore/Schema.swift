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
            // Single values: the highest key that the spool ever had, the last receiver, what commands have set.
            try database.create(table: "setting") { table in
                table.primaryKey("name", .text)
                table.column("value", .text).notNull()
            }
            // A sonde flies once: points of one serial that lie less than half a day apart are one flight.
            try database.create(table: "flight") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("serial", .text).notNull().indexed()
                table.column("sonde_type", .text).notNull()
                // Of its newest point, milliseconds since 1970.
                table.column("last_at", .integer).notNull().indexed()
            }
            try database.create(table: "point", options: .withoutRowID) { table in
                table.column("flight", .integer).notNull().references("flight", onDelete: .cascade)
                // Whole seconds since 1970: one point each.
                table.column("second", .integer).notNull()
                table.column("at", .integer).notNull()
                table.column("latitude", .double).notNull()
                table.column("longitude", .double).notNull()
                table.column("altitude_m", .double).notNull()
                table.column("source", .text).notNull()
                table.primaryKey(["flight", "second"])
            }
        }
        return migrator
    }
}
