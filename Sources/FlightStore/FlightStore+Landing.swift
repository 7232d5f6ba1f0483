import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

// Landing points, predictions, and the lessons of flights with a known landing.

extension FlightStore {
    /// The most lessons that a start reads.
    private static let experiences = 500
    /// The most predictions of a flight that are read, the newest. With one each ten seconds and method this is more
    /// than an hour.
    private static let judged = 1500

    static let landingPointRows = FlightRows(
        table: "landing_point", columns: "at, latitude, longitude", name: "landing points"
    ) { EarlierLandingPoint(coordinate: try $0.place(1), time: try $0.time(0, "time")) }

    static let lessonRows = FlightRows(
        table: "lesson JOIN flight ON flight.id = lesson.flight",
        columns: """
            serial, sonde_type, lesson.at, launch_latitude, launch_longitude, landing_latitude, landing_longitude,
            landing_altitude_m, burst_m, descent_rate_mps
            """, order: "lesson.at", name: "lessons"
    ) { try FlightLesson($0) }

    static func record(
        _ point: EarlierLandingPoint, in flight: StoredFlight, _ database: Database
    ) throws {
        guard point.isPlausible else { return }
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO landing_point (flight, at, latitude, longitude) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            flight.id, point.time.millisecondsSince1970, point.coordinate.latitude, point.coordinate.longitude,
        ])
    }

    static func record(
        _ prediction: StoredPrediction, in flight: StoredFlight, _ database: Database
    ) throws {
        guard prediction.isPlausible else { return }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO prediction
                (flight, method, at, is_descending, minutes, kilometres, latitude, longitude, radius90_m)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            flight.id, prediction.method.rawValue, prediction.at.millisecondsSince1970, prediction.isDescending ? 1 : 0,
            prediction.minutesToGo, prediction.kilometresToGo, prediction.landing.latitude,
            prediction.landing.longitude, prediction.radius90,
        ])
    }

    /// - Parameter lesson: nil deletes the flight's.
    static func record(
        _ lesson: FlightLesson?, in flight: StoredFlight, _ database: Database
    ) throws {
        guard let lesson else {
            return try database.execute(sql: "DELETE FROM lesson WHERE flight = ?", arguments: [flight.id])
        }
        guard lesson.isPlausible else { return }
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO lesson
                (flight, at, launch_latitude, launch_longitude, landing_latitude, landing_longitude,
                 landing_altitude_m, burst_m, descent_rate_mps)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                flight.id, lesson.at.millisecondsSince1970, lesson.launch?.latitude, lesson.launch?.longitude,
                lesson.landing?.coordinate.latitude, lesson.landing?.coordinate.longitude,
                lesson.landing?.altitudeMetres, lesson.burstMetres, lesson.descentRate,
            ])
    }

    static func landingPoints(
        ofFlight id: Int64, _ database: Database, faults: RowFaults
    ) throws -> [EarlierLandingPoint] {
        try faults.values(landingPointRows, ofFlight: id, database, isDescending: true, limit: 200).reversed()
    }

    /// The newest predictions in the order of time, one for each method and ten seconds. SQLite returns the first of
    /// each group, because the query asks for the minimum.
    static func predictions(
        _ database: Database, ofFlight id: Int64, faults: RowFaults
    ) throws -> [StoredPrediction] {
        let rows = try faults.readable("predictions") {
            try Row.fetchAll(
                database,
                sql: """
                    SELECT method, min(at) AS first, is_descending, minutes, kilometres, latitude, longitude,
                        radius90_m
                    FROM prediction WHERE flight = ? GROUP BY method, at / 10000 ORDER BY first DESC LIMIT ?
                    """, arguments: [id, judged])
        }
        return try (rows ?? []).reversed().compactMap { row in
            try faults.read("predictions", row) { try StoredPrediction($0) }
        }
    }

    /// The newest lessons, newest first.
    static func lessons(_ database: Database, faults: RowFaults) throws -> [FlightLesson] {
        let rows = OrderedRows(
            sql: "SELECT \(lessonRows.columns) FROM \(lessonRows.table)", arguments: [], key: "lesson.flight")
        let lessons = try faults.values(lessonRows.name, rows, database, lessonRows.decode)
        return Array(lessons.sorted { $0.at > $1.at }.prefix(experiences))
    }

    static func forgetLessons(_ database: Database) throws { try database.execute(sql: "DELETE FROM lesson") }
}

extension Row {
    /// A coordinate: latitude in `column`, longitude in the next.
    func place(_ column: Int) throws -> Coordinate {
        Coordinate(
            latitude: try real(column, "latitude", in: Plausible.latitudes),
            longitude: try real(column + 1, "longitude", in: Plausible.longitudes))
    }
}

extension Coordinate {
    var isPlausible: Bool {
        Plausible.latitudes.contains(latitude) && Plausible.longitudes.contains(longitude)
    }
}

extension EarlierLandingPoint {
    fileprivate var isPlausible: Bool {
        coordinate.isPlausible && Plausible.times.contains(time.millisecondsSince1970)
    }
}

extension StoredPrediction {
    /// - Parameter row: method, time, whether it descends, minutes, kilometres, latitude, longitude, radius.
    fileprivate init(_ row: Row) throws {
        let method = try row.text(0, "method")
        guard let method = PredictionMethod(rawValue: method) else {
            throw Damage(description: "a method can't be \(method)")
        }
        let range = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        self.init(
            method: method, at: try row.time(1, "time"), isDescending: try row.integer(2, "flag", in: 0...1) == 1,
            minutesToGo: try row.real(3, "time", in: range), kilometresToGo: try row.real(4, "distance", in: range),
            landing: try row.place(5), radius90: try row.real(7, "radius", in: range))
    }

    fileprivate var isPlausible: Bool {
        landing.isPlausible && Plausible.times.contains(at.millisecondsSince1970)
            && [minutesToGo, kilometresToGo, radius90].allSatisfy(\.isFinite)
    }
}

extension FlightLesson {
    /// - Parameter row: serial, type, time, launch, landing with its altitude, burst, rate of descent.
    fileprivate init(_ row: Row) throws {
        self.init(
            serial: try FlightStore.serial(row, 0), sondeType: SondeType(name: try row.text(1, "sonde type")),
            at: try row.time(2, "time"), launch: row.isNull(3) ? nil : try row.place(3),
            landing: row.isNull(5)
                ? nil
                : FlightLesson.Landing(
                    try row.place(5), altitudeMetres: try row.real(7, "altitude", in: Plausible.altitudes)),
            burstMetres: row.isNull(8) ? nil : try row.real(8, "altitude", in: Plausible.altitudes),
            descentRate: row.isNull(9) ? nil : try row.real(9, "rate", in: 0...1000))
    }

    fileprivate var isPlausible: Bool {
        let altitudes = [landing?.altitudeMetres, burstMetres].compactMap { $0 }
        let places = [landing?.coordinate, launch].compactMap { $0 }
        return places.allSatisfy(\.isPlausible) && altitudes.allSatisfy(Plausible.altitudes.contains)
            && Plausible.times.contains(at.millisecondsSince1970)
            && (0...1000).contains(descentRate ?? 0)
    }
}
