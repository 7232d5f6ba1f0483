import GRDB
public import GatewayCore
import ReceiverProtocol

extension FlightStore: FlightLog {
    /// Points of a sonde that are further apart belong to two flights, milliseconds.
    private static let flightGap: Int64 = 12 * 3_600_000
    /// Sondes whose last time a start is told.
    private static let sondesRemembered = 64

    public func memory() async throws(StoreError) -> GatewayMemory {
        try await database.read { database in
            var memory = GatewayMemory()
            for row in try Row.fetchAll(
                database, sql: "SELECT serial, sonde_type, last_at FROM flight ORDER BY last_at DESC LIMIT ?",
                arguments: [Self.sondesRemembered])
            {
                guard let serial = SondeSerial(name: row["serial"], type: .other("")) else { continue }
                let time = WallTime(millisecondsSince1970: row["last_at"])
                memory.lastHeard[serial] = max(time, memory.lastHeard[serial] ?? time)
            }
            memory.flight = try Self.newestFlight(database)
            for setting in StoredSetting.allCases {
                memory.settings[setting] = try database.setting(setting.name)
            }
            return memory
        }
    }

    private static func newestFlight(_ database: Database) throws -> RecordedFlight? {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT id, serial, sonde_type FROM flight ORDER BY last_at DESC LIMIT 1"),
            let serial = SondeSerial(name: row["serial"], type: .other(""))
        else { return nil }
        let points = try Row.fetchAll(
            database,
            sql: "SELECT at, latitude, longitude, altitude_m, source FROM point WHERE flight = ? ORDER BY second",
            arguments: [row["id"] as Int64]
        ).map(TrackPoint.init)
        return RecordedFlight(serial: serial, sondeType: SondeType(name: row["sonde_type"]), points: points)
    }

    public func record(_ entries: [FlightLogEntry], now: WallTime?) async throws(StoreError) {
        let bounds = bounds
        try await database.write { database in
            let before = try Self.newestFlightID(database)
            for entry in entries {
                switch entry {
                case .points(let serial, let type, let points):
                    try Self.insert(points, serial.canonical, type.name, database)
                case .clockSet(let since, let change): try Self.shift(byMilliseconds: change, since: since, database)
                case .setting(let setting, let value): try database.set(setting.name, to: value)
                }
            }
            // A flight is a few megabytes: time enough to look when the next one begins.
            if try Self.newestFlightID(database) != before { try Self.prune(database, bounds, now) }
        }
    }

    private static func newestFlightID(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT max(id) FROM flight"))
    }

    /// The receiver's point beats SondeHub's in its second; of one source the first stays.
    private static func insert(
        _ points: [TrackPoint], _ serial: String, _ type: String, _ database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO point (flight, second, at, latitude, longitude, altitude_m, source)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET at = excluded.at, latitude = excluded.latitude,
                    longitude = excluded.longitude, altitude_m = excluded.altitude_m, source = excluded.source
                WHERE source = 'sondehub' AND excluded.source = 'ble'
                """)
        var last: (flight: Int64, at: Int64)?
        for point in points.sorted(by: { $0.time < $1.time }) {
            let time = point.time.millisecondsSince1970
            let isSameFlight = last.map { time - $0.at < flightGap } ?? false
            let flight =
                if let last, isSameFlight { last.flight } else {
                    try flight(of: serial, type, at: time, database)
                }
            if let last, !isSameFlight { try ends(last, database) }
            try statement.execute(arguments: [
                flight, point.second, time, point.coordinate.latitude, point.coordinate.longitude,
                point.altitudeMetres, point.source.rawValue,
            ])
            last = (flight, time)
        }
        if let last { try ends(last, database) }
    }

    private static func ends(_ last: (flight: Int64, at: Int64), _ database: Database) throws {
        try database.cachedStatement(sql: "UPDATE flight SET last_at = ? WHERE id = ? AND last_at < ?")
            .execute(arguments: [last.at, last.flight, last.at])
    }

    /// The flight to which a point at that time belongs, begun if there is none.
    private static func flight(of serial: String, _ type: String, at time: Int64, _ database: Database) throws -> Int64
    {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, sonde_type FROM flight WHERE serial = ? AND last_at > ?
                AND (SELECT min(second) FROM point WHERE flight = flight.id) < ? ORDER BY last_at LIMIT 1
                """)
        let row = try Row.fetchOne(
            statement, arguments: [serial, time - flightGap, (time + flightGap) / 1000])
        guard let row else {
            try database.execute(
                sql: "INSERT INTO flight (serial, sonde_type, last_at) VALUES (?, ?, ?)",
                arguments: [serial, type, time])
            return database.lastInsertedRowID
        }
        let id: Int64 = row["id"]
        if !type.isEmpty, (row["sonde_type"] as String).isEmpty {
            try database.execute(sql: "UPDATE flight SET sonde_type = ? WHERE id = ?", arguments: [type, id])
        }
        return id
    }

    /// Puts the receiver's points of this run to the time that they were really heard at.
    private static func shift(byMilliseconds change: Int64, since start: WallTime, _ database: Database) throws {
        let since = start.millisecondsSince1970
        for flight in try Row.fetchAll(
            database, sql: "SELECT id, serial, sonde_type FROM flight WHERE last_at >= ?", arguments: [since])
        {
            let id: Int64 = flight["id"]
            let wrong = try Row.fetchAll(
                database,
                sql: """
                    SELECT at, latitude, longitude, altitude_m, source FROM point
                    WHERE flight = ? AND at >= ? AND source = 'ble'
                    """,
                arguments: [id, since]
            ).map(TrackPoint.init)
            try database.execute(
                sql: "DELETE FROM point WHERE flight = ? AND at >= ? AND source = 'ble'", arguments: [id, since])
            try database.execute(
                literal: """
                    UPDATE flight SET last_at = (SELECT max(at) FROM point WHERE flight = \(id))
                    WHERE id = \(id) AND EXISTS (SELECT 1 FROM point WHERE flight = \(id))
                    """)
            try database.execute(
                literal: """
                    DELETE FROM flight WHERE id = \(id) AND NOT EXISTS (SELECT 1 FROM point WHERE flight = \(id))
                    """)
            let points = wrong.map { point in
                var point = point
                point.time = point.time.advanced(byMilliseconds: change)
                return point
            }
            try insert(points, flight["serial"], flight["sonde_type"], database)
        }
    }

    /// Drops the oldest flights beyond the bounds; the newest stays, however long it is.
    private static func prune(_ database: Database, _ bounds: StoreBounds, _ now: WallTime?) throws {
        let newest = "(SELECT id FROM flight ORDER BY last_at DESC LIMIT 1)"
        if let now {
            let limit = now.millisecondsSince1970 - bounds.flightAgeMilliseconds
            try database.execute(
                sql: "DELETE FROM flight WHERE last_at < ? AND id != \(newest)", arguments: [limit])
        }
        func used() throws -> Int {
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            return (pages - free) * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
        while try used() > bounds.bytes {
            try database.execute(
                sql:
                    "DELETE FROM flight WHERE id = (SELECT id FROM flight ORDER BY last_at LIMIT 1) AND id != \(newest)"
            )
            if database.changesCount == 0 { break }
        }
    }
}

extension StoredSetting {
    fileprivate var name: String { "option_" + rawValue }
}

extension TrackPoint {
    fileprivate init(_ row: Row) {
        self.init(
            time: WallTime(millisecondsSince1970: row["at"]),
            coordinate: Coordinate(latitude: row["latitude"], longitude: row["longitude"]),
            altitudeMetres: row["altitude_m"],
            source: TelemetrySource(rawValue: row["source"]) ?? .sondehub)
    }
}
