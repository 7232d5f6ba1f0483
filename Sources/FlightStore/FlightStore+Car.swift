import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

// The car's own way.

extension FlightStore {
    /// The most points of a flight. The way ends there: at a point in 5 s this is more than a day.
    static let mostCarPoints = 20_000

    static let carRows = FlightRows(
        table: "car_point", columns: "at, latitude, longitude, altitude_m", name: "the car's points"
    ) { try CarPoint($0) }

    static func record(
        _ point: CarPoint, in flight: StoredFlight, _ database: Database, _ counts: inout RowCounts
    ) throws {
        let time = point.time.millisecondsSince1970
        guard point.isPlausible, time - flight.lastAt < flightGap else { return }
        try counts.insert(
            into: "car_point", of: flight, most: mostCarPoints, database,
            sql: """
                INSERT OR IGNORE INTO car_point (flight, at, latitude, longitude, altitude_m) VALUES (?, ?, ?, ?, ?)
                """,
            [flight.id, time, point.coordinate.latitude, point.coordinate.longitude, point.altitudeMetres])
    }

    /// - Parameter time: only points after this time, milliseconds since 1970.
    static func carPoints(
        _ database: Database, ofFlight id: Int64, after time: Int64, limit: Int, faults: RowFaults
    ) throws -> [CarPoint] {
        try faults.values(carRows, ofFlight: id, database, where: "at > ?", [time], limit: limit)
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
