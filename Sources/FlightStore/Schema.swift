import GRDB
import GatewayCore

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
        migrator.registerMigration("2") { database in try strict(database) }
        return migrator
    }

    /// The same tables, but a value of another type is damage, and a message has a checksum. No index on what every
    /// point changes.
    private static func strict(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE new_spool (
                    key INTEGER PRIMARY KEY, topic TEXT NOT NULL, payload BLOB NOT NULL, at INTEGER,
                    checksum INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE new_setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE new_flight (
                    id INTEGER PRIMARY KEY, serial TEXT NOT NULL, sonde_type TEXT NOT NULL, last_at INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE new_point (
                    flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, second INTEGER NOT NULL,
                    at INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, altitude_m REAL NOT NULL,
                    source TEXT NOT NULL, PRIMARY KEY (flight, second)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO new_setting SELECT name, value FROM setting;
                INSERT INTO new_flight SELECT id, serial, sonde_type, last_at FROM flight;
                INSERT INTO new_point SELECT flight, second, at, latitude, longitude, altitude_m, source FROM point;
                """)
        let rows = try Row.fetchCursor(database, sql: "SELECT key, topic, payload, at FROM spool")
        while let row = try rows.next() { _ = try SpooledMessage(row).insert(into: "new_spool", database) }
        for table in tables.keys {
            try database.execute(sql: "DROP TABLE \(table); ALTER TABLE new_\(table) RENAME TO \(table)")
        }
        try database.execute(
            sql: """
                CREATE INDEX flight_on_serial ON flight (serial);
                CREATE INDEX spool_on_at ON spool (at) WHERE at IS NOT NULL;
                """)
    }

    private static let tables = [
        "point": "flight, second, at, latitude, longitude, altitude_m, source",
        "flight": "id, serial, sonde_type, last_at",
        "setting": "name, value",
        "spool": "key, topic, payload, at, checksum",
    ]

    /// Finds a table that is missing or has become another, and what is damaged in the small ones. Not in the points:
    /// months of them would hold up the start. What is wrong there shows when it is read.
    static func check(_ database: Database) throws {
        for (table, columns) in tables {
            _ = try database.makeStatement(sql: "SELECT \(columns) FROM \(table)")
            guard table != "point" else { continue }
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
            guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        }
    }
}
