import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

// The car's own way.

extension FlightStore {
    /// The most points of a flight. The way ends there: at a point in 5 s this is more than a day.
    static let mostCarPoints = 20_000

    static func record(
        _ point: CarPoint, of serial: SondeSerial, _ database: Database, faults: RowFaults
    ) throws {
        let time = point.time.millisecondsSince1970
        guard let flight = try newestFlight(of: serial.canonical, database, faults: faults), point.isPlausible,
            time - flight.lastAt < flightGap
        else { return }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO car_point (flight, at, latitude, longitude, altitude_m) SELECT ?, ?, ?, ?, ?
                WHERE (SELECT count(*) FROM car_point WHERE flight = ?) < ?
                """
        ).execute(arguments: [
            flight.id, time, point.coordinate.latitude, point.coordinate.longitude, point.altitudeMetres, flight.id,
            mostCarPoints,
        ])
    }

    /// - Parameter time: only points after this time, milliseconds since 1970.
    static func carPoints(
        _ database: Database, ofFlight id: Int64, after time: Int64, limit: Int, faults: RowFaults
    ) throws -> [CarPoint] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT at, latitude, longitude, altitude_m FROM car_point WHERE flight = ? AND at > ? ORDER BY at
                """, arguments: [id, time])
        return try FlightReader.first(limit, of: rows, "the car's points", faults) { try CarPoint($0) }
    }
}

extension CarPoint {
    /// - Parameter row: time, latitude, longitude, altitude.
    fileprivate init(_ row: Row) throws {
        self.init(
            time: try row.time(0, "time"), coordinate: try row.place(1),
            altitudeMetres: row.isNull(3) ? nil : try row.real(3, "altitude", in: Plausible.altitudes))
    }

    fileprivate var isPlausible: Bool {
        Plausible.times.contains(time.millisecondsSince1970) && coordinate.isPlausible
            && altitudeMetres.map(Plausible.altitudes.contains) ?? true
    }
}
