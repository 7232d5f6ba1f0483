import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

extension FlightStore {
    /// Points of one sonde that are at least this far apart belong to two flights, in milliseconds.
    static let flightGap = FlightSpan.longest.wholeMilliseconds
    /// The flight of a sonde may go on if the newest flight ended less than this later, in milliseconds.
    private static let interruption = Silence.lost.begins.wholeMilliseconds
    /// The most sondes in ``GatewayMemory/lastHeard``.
    private static let sondesRemembered = 64
    /// `flight.last_at` may be this much older than the flight's newest point, in milliseconds. Changing it with each
    /// point would write one page more.
    static let lastAtLag: Int64 = 10_000

    /// - Parameter latest: flights that end later are left out.
    static func memory(
        _ database: Database, until latest: WallTime, faults: RowFaults
    ) throws -> GatewayMemory {
        var memory = GatewayMemory()
        // The newest point is at most ``lastAtLag`` after the flight's end. Otherwise one of the two times is damaged, and
        // a clock that nobody has set would begin there.
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT serial, min(last_at + \(lastAtLag), coalesce(
                    (SELECT at FROM point WHERE flight = flight.id ORDER BY second DESC LIMIT 1), last_at))
                FROM flight WHERE last_at <= ? ORDER BY last_at DESC LIMIT ?
                """, arguments: [latest.millisecondsSince1970, sondesRemembered])
        {
            let heard = try faults.read("flights", row) { (try serial($0, 0), try $0.time(1, "time")) }
            guard let (serial, time) = heard else { continue }
            memory.lastHeard[serial] = max(time, memory.lastHeard[serial] ?? time)
        }
        memory.newestSideRecord = try newestSideRecord(database, until: latest)
        let flights = try newestFlights(database, until: latest, faults: faults)
        memory.flight = flights.first
        memory.others = Array(flights.dropFirst())
        memory.lessons = try lessons(database, faults: faults)
        memory.winds = try winds(database, faults: faults)
        for setting in StoredSetting.allCases {
            memory.settings[setting] = try database.setting(setting.name, faults: faults)
        }
        return memory
    }

    /// The newest time of the records beside the points of the latest flights. They may come hours after the last point.
    private static func newestSideRecord(_ database: Database, until latest: WallTime) throws -> WallTime? {
        let latest = min(latest.millisecondsSince1970, Plausible.times.upperBound)
        let times = try ["car_point", "sample", "receiver_event"].compactMap { table in
            try Int64.fetchOne(
                database,
                sql: """
                    SELECT max((SELECT max(at) FROM \(table)
                        WHERE flight = latest.id AND at <= min(?, latest.last_at + \(flightGap))))
                    FROM (SELECT id, last_at FROM flight ORDER BY last_at DESC LIMIT ?) AS latest
                    """, arguments: [latest, sondesRemembered])
        }
        return times.max().map { WallTime(millisecondsSince1970: $0) }
    }

    static func serial(_ row: Row, _ column: Int) throws -> SondeSerial {
        let name = try row.text(column, "serial")
        guard let serial = SondeSerial(name: name, type: .other("")) else {
            throw Damage(description: "a serial can't be \(name)")
        }
        return serial
    }

    /// The newest flight, and those of other sondes that may go on, because they were only interrupted. The newest
    /// first.
    private static func newestFlights(
        _ database: Database, until latest: WallTime, faults: RowFaults
    ) throws -> [RecordedFlight] {
        var flights: [RecordedFlight] = []
        var newestAt: Int64 = .min
        for row in try Row.fetchAll(
            database,
            sql: "SELECT id, serial, sonde_type, last_at FROM flight WHERE last_at <= ? ORDER BY last_at DESC LIMIT ?",
            arguments: [latest.millisecondsSince1970, 2 * GatewayMemory.mostFlights])
        {
            let head = try faults.read("flights", row) { row in
                (
                    id: try row.integer(0, "flight", in: .min ... .max), serial: try serial(row, 1),
                    type: SondeType(name: try row.text(2, "sonde type")), lastAt: try row.time(3, "time")
                )
            }
            guard let (id, serial, type, time) = head else { continue }
            let lastAt = time.millisecondsSince1970
            if flights.isEmpty { newestAt = lastAt }
            guard flights.count < GatewayMemory.mostFlights, newestAt - lastAt < interruption,
                !flights.contains(where: { $0.serial == serial })
            else { continue }
            flights.append(
                RecordedFlight(
                    serial: serial, sondeType: type,
                    // A later point is damaged: the flight's end follows its points.
                    points: try faults.values(
                        pointRows, ofFlight: id, database, where: "at <= ?", [lastAt + lastAtLag]),
                    landingPoints: try landingPoints(ofFlight: id, database, faults: faults),
                    predictions: try predictions(database, ofFlight: id, faults: faults)))
        }
        return flights
    }

    static let pointRows = FlightRows(
        table: "point", columns: "at, latitude, longitude, altitude_m, source, second", order: "second", name: "points"
    ) { try TrackPoint(ofItsSecond: $0) }

    /// By time; the newest first if `isDescending`.
    static func points(
        ofFlight id: Int64, _ database: Database, isDescending: Bool = false, limit: Int = .max, faults: RowFaults
    ) throws -> [TrackPoint] {
        try faults.values(pointRows, ofFlight: id, database, isDescending: isDescending, limit: limit)
    }

    /// - Returns: whether a flight began.
    static func record(
        _ entries: [FlightLogEntry], _ database: Database, now: WallTime?, faults: RowFaults
    ) throws -> Bool {
        var hasBegun = false
        var counts = RowCounts()
        func inNewest(_ serial: SondeSerial, _ body: (StoredFlight) throws -> Void) throws {
            if let flight = try newestFlight(of: serial.canonical, database, faults: faults) { try body(flight) }
        }
        for entry in entries {
            switch entry {
            case .points(let serial, let type, let points):
                let inserted = try insert(points, of: serial.canonical, type: type.name, database, faults: faults)
                hasBegun = hasBegun || inserted.hasBegun
            case .clockSet(let step):
                if try correct(by: step, database, faults: faults) { hasBegun = true }
                counts = RowCounts()
            case .newFlight(let serial, let start):
                try split(serial.canonical, at: start, database, faults: faults)
                counts = RowCounts()
            case .forgotten(let serial, let first, let last):
                try forget(serial.canonical, from: first, through: last, database, faults: faults)
                counts = RowCounts()
            case .landingPoint(let serial, let point): try inNewest(serial) { try record(point, in: $0, database) }
            case .prediction(let serial, let made): try inNewest(serial) { try record(made, in: $0, database) }
            case .lesson(let serial, let lesson): try inNewest(serial) { try record(lesson, in: $0, database) }
            case .lessonsForgotten: try forgetLessons(database)
            case .winds(let winds): try record(winds, database, now: now)
            case .carPoint(let serial, let point):
                try inNewest(serial) { try record(point, in: $0, database, &counts) }
            case .sample(let serial, let sample):
                try inNewest(serial) { try record(sample, in: $0, database, &counts) }
            case .receiver(let serial, let event):
                try inNewest(serial) { try record(event, in: $0, database, &counts) }
            case .recovery(let serial, let recovery):
                try inNewest(serial) { try record(StoredRecovery(recovery), in: $0, database) }
            case .setting(let setting, let value): try database.set(setting.name, to: value)
            }
        }
        return hasBegun
    }

    /// Stores points, one a second. The receiver's point replaces SondeHub's; a second point of the same source is
    /// ignored. Implausible points are left out.
    /// - Returns: whether a flight began, and the flight of the newest point; nil without a plausible point.
    static func insert(
        _ points: [TrackPoint], of serial: String, type: String, _ database: Database, faults: RowFaults
    ) throws -> (hasBegun: Bool, flight: Int64?) {
        let points = points.filter(\.isPlausible).sorted { $0.time < $1.time }
        let statement = try database.cachedStatement(sql: insertion)
        var last: (flight: StoredFlight, at: Int64)?
        var hasBegun = false
        for point in points {
            let time = point.time.millisecondsSince1970
            let isSameFlight = last.map { time - $0.at < flightGap } ?? false
            if let last, !isSameFlight { try ends(last, database) }
            var flight = last?.flight
            if !isSameFlight { flight = try Self.flight(of: serial, type: type, at: time, database, faults: faults) }
            if flight == nil {
                flight = try beginFlight(of: serial, type: type, at: time, database)
                hasBegun = true
            }
            guard let flight else { continue }
            try statement.execute(arguments: [
                flight.id, point.second, time, point.coordinate.latitude, point.coordinate.longitude,
                point.altitudeMetres, point.source.rawValue,
            ])
            last = (flight, time)
        }
        if let last { try ends(last, database) }
        return (hasBegun, last?.flight.id)
    }

    private static let insertion = """
        INSERT INTO point (flight, second, at, latitude, longitude, altitude_m, source) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET at = excluded.at, latitude = excluded.latitude, longitude = excluded.longitude,
            altitude_m = excluded.altitude_m, source = excluded.source
        WHERE source = 'sondehub' AND excluded.source = 'ble'
        """

    /// Moves the flight's end to its newest point if it lags behind by ``lastAtLag``.
    private static func ends(_ last: (flight: StoredFlight, at: Int64), _ database: Database) throws {
        guard last.flight.lastAt <= last.at - lastAtLag else { return }
        try database.cachedStatement(sql: "UPDATE flight SET last_at = ? WHERE id = ?")
            .execute(arguments: [last.at, last.flight.id])
    }

    /// The flight to which a point at that time belongs.
    private static func flight(
        of serial: String, type: String, at time: Int64, _ database: Database, faults: RowFaults
    ) throws -> StoredFlight? {
        // Nearly every point belongs to the newest flight, which costs the least to find.
        var found = try newestFlight(of: serial, database, faults: faults)
        if let newest = found, newest.lastAt > time || newest.lastAt <= time - flightGap {
            found = try nearestFlight(of: serial, at: time, database, faults: faults)
        }
        if let found, found.type.isEmpty, !type.isEmpty {
            try database.execute(sql: "UPDATE flight SET sonde_type = ? WHERE id = ?", arguments: [type, found.id])
        }
        return found
    }

    /// The flight of this sonde that ended last.
    static func newestFlight(
        of serial: String, _ database: Database, faults: RowFaults
    ) throws -> StoredFlight? {
        // SQLite takes the other columns from the row with the maximum (sqlite.org/lang_select.html, "bare columns").
        // ORDER BY would make a table to sort in, for each point.
        let statement = try database.cachedStatement(
            sql: "SELECT id, sonde_type, max(last_at) FROM flight WHERE serial = ?")
        guard let row = try Row.fetchOne(statement, arguments: [serial]), !row.isNull(0) else { return nil }
        return try faults.read("flights", row) { try StoredFlight($0) }
    }

    private static func nearestFlight(
        of serial: String, at time: Int64, _ database: Database, faults: RowFaults
    ) throws -> StoredFlight? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, sonde_type, last_at FROM flight WHERE serial = ? AND last_at > ?
                AND (SELECT min(second) FROM point WHERE flight = flight.id) < ?
                -- Of two flights in half a day the one that had begun last by then.
                ORDER BY max((SELECT min(second) FROM point WHERE flight = flight.id) - ?, 0), last_at DESC LIMIT 1
                """)
        return try Row.fetchOne(
            statement, arguments: [serial, time - flightGap, (time + flightGap) / 1000, time / 1000]
        ).flatMap { try faults.read("flights", $0) { try StoredFlight($0) } }
    }

    /// Ends a sonde's newest flight at `start`. Its later points become a new flight.
    private static func split(
        _ serial: String, at start: WallTime, _ database: Database, faults: RowFaults
    ) throws {
        guard let old = try newestFlight(of: serial, database, faults: faults) else { return }
        let second = start.millisecondsSince1970 / 1000
        let parts = try Row.fetchOne(
            database,
            sql: """
                SELECT max(CASE WHEN second < ? THEN at END), max(CASE WHEN second >= ? THEN at END) FROM point
                WHERE flight = ?
                """, arguments: [second, second, old.id])
        guard let parts, !parts.isNull(0), !parts.isNull(1) else { return }
        let times = try faults.read("points", parts) { (try $0.time(0, "time"), try $0.time(1, "time")) }
        guard let (ended, newest) = times else { return }
        let new = try beginFlight(of: serial, type: old.type, at: newest.millisecondsSince1970, database)
        try database.execute(
            sql: "UPDATE point SET flight = ? WHERE flight = ? AND second >= ?", arguments: [new.id, old.id, second])
        for table in ["car_point", "sample", "receiver_event"] {
            try database.execute(
                sql: "UPDATE \(table) SET flight = ? WHERE flight = ? AND at >= ?",
                arguments: [new.id, old.id, start.millisecondsSince1970])
        }
        try database.execute(
            sql: "UPDATE flight SET last_at = ? WHERE id = ?", arguments: [ended.millisecondsSince1970, old.id])
    }

    private static func forget(
        _ serial: String, from first: WallTime, through last: WallTime, _ database: Database, faults: RowFaults
    ) throws {
        guard let flight = try newestFlight(of: serial, database, faults: faults) else { return }
        try database.execute(
            sql: "DELETE FROM point WHERE flight = ? AND at BETWEEN ? AND ?",
            arguments: [flight.id, first.millisecondsSince1970, last.millisecondsSince1970])
        try endsWithItsPoints(flight.id, database)
        try deleteIfItHasNoPoint(flight.id, database)
    }

    /// Sets the flight's end to its newest point. A flight without points ends in 1970, so no later point belongs to it.
    static func endsWithItsPoints(_ id: Int64, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE flight SET last_at = coalesce((SELECT max(at) FROM point WHERE flight = id), 0) WHERE id = ?",
            arguments: [id])
    }

    static func deleteIfItHasNoPoint(_ id: Int64, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM flight WHERE id = ? AND NOT EXISTS (SELECT 1 FROM point WHERE flight = id)",
            arguments: [id])
    }

    private static func beginFlight(
        of serial: String, type: String, at time: Int64, _ database: Database
    ) throws -> StoredFlight {
        try database.execute(
            sql: "INSERT INTO flight (serial, sonde_type, last_at) VALUES (?, ?, ?)", arguments: [serial, type, time])
        return StoredFlight(id: database.lastInsertedRowID, type: type, lastAt: time)
    }
}

/// A flight's row.
struct StoredFlight: Sendable {
    var id: Int64
    var type: String
    /// The flight's end in milliseconds since 1970. Its newest point may be up to 10 s later.
    var lastAt: Int64
}

extension StoredFlight {
    /// - Parameter row: id, sonde type, end.
    init(_ row: Row) throws {
        self.init(
            id: try row.integer(0, "flight", in: .min ... .max), type: try row.text(1, "sonde type"),
            lastAt: try row.integer(2, "time", in: .min ... .max))
    }
}

extension StoredSetting {
    fileprivate var name: String { "option_" + rawValue }
}

extension TrackPoint {
    /// - Parameter row: time, latitude, longitude, altitude, source.
    init(_ row: Row) throws {
        let source = try row.text(4, "source")
        guard let source = TelemetrySource(rawValue: source) else {
            throw Damage(description: "a source can't be \(source)")
        }
        self.init(
            time: try row.time(0, "time"),
            coordinate: Coordinate(
                latitude: try row.real(1, "latitude", in: Plausible.latitudes),
                longitude: try row.real(2, "longitude", in: Plausible.longitudes)),
            altitudeMetres: try row.real(3, "altitude", in: Plausible.altitudes), source: source)
    }

    /// - Parameter row: as for ``init(_:)``, and then the second by which flights are read.
    init(ofItsSecond row: Row) throws {
        try self.init(row)
        guard Int64.fromDatabaseValue(row[5]) == second else {
            throw Damage(description: "a point's time is not of its second")
        }
    }

    fileprivate var isPlausible: Bool {
        Plausible.times.contains(time.millisecondsSince1970) && Plausible.latitudes.contains(coordinate.latitude)
            && Plausible.longitudes.contains(coordinate.longitude) && Plausible.altitudes.contains(altitudeMetres)
    }
}
