import GRDB
import GatewayCore
import ReceiverProtocol

// Landing points, predictions and what became of them.

extension FlightStore {
    /// Past flights that teach the next ones, at most.
    private static let experiences = 500

    static func record(_ point: EarlierLandingPoint, of serial: SondeSerial, _ database: Database) throws {
        guard let flight = try newestFlight(of: serial, database), point.isPlausible else { return }
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO landing_point (flight, at, latitude, longitude) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            flight, point.time.millisecondsSince1970, point.coordinate.latitude, point.coordinate.longitude,
        ])
    }

    static func record(_ prediction: StoredPrediction, of serial: SondeSerial, _ database: Database) throws {
        guard let flight = try newestFlight(of: serial, database), prediction.isPlausible else { return }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO prediction
                (flight, method, at, is_descending, minutes, kilometres, latitude, longitude, radius90_m)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            flight, prediction.method.rawValue, prediction.at.millisecondsSince1970, prediction.isDescending ? 1 : 0,
            prediction.minutesToGo, prediction.kilometresToGo, prediction.landing.latitude,
            prediction.landing.longitude, prediction.radius90,
        ])
    }

    static func record(_ lesson: FlightLesson, of serial: SondeSerial, _ database: Database) throws {
        guard let flight = try newestFlight(of: serial, database), lesson.isPlausible else { return }
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO lesson
                (flight, landed_at, launch_latitude, launch_longitude, landing_latitude, landing_longitude,
                 landing_altitude_m, burst_m, descent_rate_mps, worst_ratio)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                flight, lesson.landedAt.millisecondsSince1970, lesson.launch?.latitude, lesson.launch?.longitude,
                lesson.landing.latitude, lesson.landing.longitude, lesson.landingAltitudeMetres, lesson.burstMetres,
                lesson.descentRate, lesson.worstRatio,
            ])
    }

    static func landingPoints(ofFlight id: Int64, _ database: Database) throws -> [EarlierLandingPoint] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT at, latitude, longitude FROM landing_point WHERE flight = ? ORDER BY at DESC LIMIT 200",
            arguments: [id])
        return try rows.reversed().map { row in
            EarlierLandingPoint(coordinate: try row.place(1), time: try row.time(0, "time"))
        }
    }

    /// The newest first.
    static func lessons(_ database: Database) throws -> [FlightLesson] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT sonde_type, landed_at, launch_latitude, launch_longitude, landing_latitude, landing_longitude,
                    landing_altitude_m, burst_m, descent_rate_mps, worst_ratio
                FROM lesson JOIN flight ON flight.id = lesson.flight ORDER BY landed_at DESC LIMIT ?
                """, arguments: [experiences])
        return try rows.map { row in
            FlightLesson(
                sondeType: SondeType(name: try row.text(0, "sonde type")), landedAt: try row.time(1, "time"),
                launch: row.isNull(2) ? nil : try row.place(2), landing: try row.place(4),
                landingAltitudeMetres: try row.real(6, "altitude", in: Plausible.altitudes),
                burstMetres: row.isNull(7) ? nil : try row.real(7, "altitude", in: Plausible.altitudes),
                descentRate: row.isNull(8) ? nil : try row.real(8, "descent rate", in: 0...1000),
                worstRatio: row.isNull(9) ? nil : try row.real(9, "ratio", in: 0...1e9))
        }
    }

    private static func newestFlight(of serial: SondeSerial, _ database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: "SELECT id FROM flight WHERE serial = ? ORDER BY last_at DESC LIMIT 1")
        return try Row.fetchOne(statement, arguments: [serial.canonical]).map {
            try $0.integer(0, "flight", in: .min ... .max)
        }
    }
}

extension Row {
    /// Latitude in one column, longitude in the next.
    fileprivate func place(_ column: Int) throws -> Coordinate {
        Coordinate(
            latitude: try real(column, "latitude", in: Plausible.latitudes),
            longitude: try real(column + 1, "longitude", in: Plausible.longitudes))
    }
}

extension Coordinate {
    fileprivate var isPlausible: Bool {
        Plausible.latitudes.contains(latitude) && Plausible.longitudes.contains(longitude)
    }
}

extension EarlierLandingPoint {
    fileprivate var isPlausible: Bool {
        coordinate.isPlausible && Plausible.times.contains(time.millisecondsSince1970)
    }
}

extension StoredPrediction {
    fileprivate var isPlausible: Bool {
        landing.isPlausible && Plausible.times.contains(at.millisecondsSince1970)
            && [minutesToGo, kilometresToGo, radius90].allSatisfy(\.isFinite)
    }
}

extension FlightLesson {
    fileprivate var isPlausible: Bool {
        landing.isPlausible && launch?.isPlausible ?? true && Plausible.altitudes.contains(landingAltitudeMetres)
            && Plausible.times.contains(landedAt.millisecondsSince1970)
            && Plausible.altitudes.contains(burstMetres ?? 0)
            && (0...1000).contains(descentRate ?? 0) && (0...1e9).contains(worstRatio ?? 0)
    }
}
