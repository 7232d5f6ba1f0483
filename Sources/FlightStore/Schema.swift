import GRDB
import Gateway

/// The tables, as migrations. A released migration is never changed; a new one follows it.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            // Messages that the broker has not acknowledged. `at` is null if the clock was not synchronised.
            try database.create(table: "spool") { table in
                table.primaryKey("key", .integer)
                table.column("topic", .text).notNull()
                table.column("payload", .blob).notNull()
                table.column("at", .integer)
            }
            // Single values: the spool's highest key, the last receiver, settings from commands.
            try database.create(table: "setting") { table in
                table.primaryKey("name", .text)
                table.column("value", .text).notNull()
            }
            // Points of one serial that are less than half a day apart are one flight.
            try database.create(table: "flight") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("serial", .text).notNull().indexed()
                table.column("sonde_type", .text).notNull()
                // The time of its newest point in milliseconds since 1970.
                table.column("last_at", .integer).notNull().indexed()
            }
            try database.create(table: "point", options: .withoutRowID) { table in
                table.column("flight", .integer).notNull().references("flight", onDelete: .cascade)
                // Whole seconds since 1970. Each has one point at most.
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
        migrator.registerMigration("3") { database in try landing(database) }
        // Earlier versions took any name. One that ``PlainText`` refuses could not be read any more.
        migrator.registerMigration("4", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: "DELETE FROM flight WHERE serial GLOB ? OR sonde_type GLOB ?",
                arguments: [unfitName, unfitName])
        }
        migrator.registerMigration("5") { database in try winds(database) }
        migrator.registerMigration("6") { database in try lessonsWithoutLanding(database) }
        // The last report of the sonde's recovery, as a text for people.
        migrator.registerMigration("7") { database in
            try database.execute(sql: "ALTER TABLE flight ADD COLUMN recovery TEXT")
        }
        // The car's own way, of which a flight has some thousand points.
        migrator.registerMigration("8") { database in
            try database.execute(
                sql: """
                    CREATE TABLE car_point (
                        flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, at INTEGER NOT NULL,
                        latitude REAL NOT NULL, longitude REAL NOT NULL, altitude_m REAL, PRIMARY KEY (flight, at)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("9") { database in try database.execute(sql: FlightStore.samples) }
        migrator.registerMigration("10") { database in
            try database.execute(sql: "ALTER TABLE flight ADD COLUMN recovery_note TEXT")
        }
        migrator.registerMigration("11") { database in try database.execute(sql: FlightStore.receiverEventTable) }
        return migrator
    }

    /// Any character but printable ASCII without `<>&"'`.
    private static let unfitName = "*[^ !#-%(-;=?-~]*"

    /// The same tables as STRICT ones, so a value of another type is damage. Messages get a checksum. The new tables
    /// have no index on `last_at`, because points change that column.
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
        for table in ["point", "flight", "setting", "spool"] {
            try database.execute(sql: "DROP TABLE \(table); ALTER TABLE new_\(table) RENAME TO \(table)")
        }
        try database.execute(
            sql: """
                CREATE INDEX flight_on_serial ON flight (serial);
                CREATE INDEX spool_on_at ON spool (at) WHERE at IS NOT NULL;
                """)
    }

    /// Adds the tables of landing points, predictions, and the lessons of flights with a known landing.
    private static func landing(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE landing_point (
                    flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, at INTEGER NOT NULL,
                    latitude REAL NOT NULL, longitude REAL NOT NULL, PRIMARY KEY (flight, at)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE prediction (
                    flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, method TEXT NOT NULL,
                    at INTEGER NOT NULL, is_descending INTEGER NOT NULL, minutes REAL NOT NULL,
                    kilometres REAL NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
                    radius90_m REAL NOT NULL, PRIMARY KEY (flight, method, at)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE lesson (
                    flight INTEGER PRIMARY KEY REFERENCES flight ON DELETE CASCADE, landed_at INTEGER NOT NULL,
                    launch_latitude REAL, launch_longitude REAL, landing_latitude REAL NOT NULL,
                    landing_longitude REAL NOT NULL, landing_altitude_m REAL NOT NULL, burst_m REAL,
                    descent_rate_mps REAL, worst_ratio REAL
                ) STRICT;
                """)
    }

    /// Adds the table of the winds of flights and forecasts. It refers to no flight, because borrowed winds have none
    /// here.
    private static func winds(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE winds (
                    id INTEGER PRIMARY KEY, serial TEXT NOT NULL, origin TEXT NOT NULL, at INTEGER NOT NULL,
                    latitude REAL NOT NULL, longitude REAL NOT NULL, layers BLOB NOT NULL
                ) STRICT;
                """)
    }

    /// Allows lessons of flights without a known landing.
    private static func lessonsWithoutLanding(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE new_lesson (
                    flight INTEGER PRIMARY KEY REFERENCES flight ON DELETE CASCADE, at INTEGER NOT NULL,
                    launch_latitude REAL, launch_longitude REAL, landing_latitude REAL, landing_longitude REAL,
                    landing_altitude_m REAL, burst_m REAL, descent_rate_mps REAL, worst_ratio REAL
                ) STRICT;
                INSERT INTO new_lesson SELECT flight, landed_at, launch_latitude, launch_longitude, landing_latitude,
                    landing_longitude, landing_altitude_m, burst_m, descent_rate_mps, worst_ratio FROM lesson;
                DROP TABLE lesson;
                ALTER TABLE new_lesson RENAME TO lesson;
                """)
    }

    private static let tables = [
        "landing_point": "flight, at, latitude, longitude",
        "prediction": "flight, method, at, is_descending, minutes, kilometres, latitude, longitude, radius90_m",
        "lesson": "flight, at, landing_latitude, landing_longitude, landing_altitude_m, worst_ratio",
        "winds": "serial, origin, at, latitude, longitude, layers",
        "car_point": "flight, at, latitude, longitude, altitude_m",
        "receiver_event": "flight, at, kind, firmware, receiver_mv",
        "sample": "flight, at, source, rssi_tenths, azimuth_tenths, distance_m",
        "point": "flight, second, at, latitude, longitude, altitude_m, source",
        "flight": "id, serial, sonde_type, last_at, recovery, recovery_note",
        "setting": "name, value",
        "spool": "key, topic, payload, at, checksum",
    ]

    /// Tables that ``check(_:)`` does not read whole: they may hold months of rows.
    private static let large: Set = ["point", "car_point", "sample", "prediction"]

    /// Looks for missing or changed tables, and for damage in the small ones. Reading all points would delay the start.
    /// Damage in them is found when they are read.
    static func check(_ database: Database) throws {
        for (table, columns) in tables {
            _ = try database.makeStatement(sql: "SELECT \(columns) FROM \(table)")
            guard !large.contains(table) else { continue }
            let verdicts = try String.fetchAll(database, sql: "PRAGMA quick_check(\(table))")
            guard let fault = verdicts.first(where: { $0 != "ok" && !isOfAValue($0) }) else { continue }
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: fault)
        }
    }

    /// Whether SQLite's complaint is of one row's value: "NULL value in spool.topic", "non-TEXT value in setting.value".
    /// ``RowFaults`` leaves such a row out.
    private static func isOfAValue(_ verdict: String) -> Bool { verdict.contains(" value in ") }

    /// Whether a newer version of this program has changed the tables.
    static func isNewer(_ database: Database) throws -> Bool { try migrator.hasBeenSuperseded(database) }

    /// Brings the tables to this version.
    /// - Throws: code `corrupt` if the list of earlier migrations can't be read, because then nobody knows the tables.
    static func update(_ queue: DatabaseQueue) throws {
        do {
            try migrator.migrate(queue)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(error)")
        }
    }

    /// The number of this version's tables.
    static var version: Int { migrator.migrations.count }
}
