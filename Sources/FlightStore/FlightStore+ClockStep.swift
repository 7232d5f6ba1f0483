import FlightMath
import GRDB
import Gateway

// A set clock. The records that this run made before have wrong times.

extension FlightStore {
    /// A flight with records of this run.
    private struct SteppedFlight {
        var id: Int64
        var serial: String
        var type: String
    }

    /// The tables with a flight's records beside its points, and the condition for rows with this machine's time.
    private static let sideTables = [
        "landing_point": "TRUE", "prediction": "TRUE", "lesson": "TRUE", "car_point": "TRUE", "receiver_event": "TRUE",
        // SondeHub gave the time of its samples.
        "sample": "source != 'sondehub'",
    ]
    /// How far corrected rows are set back, in milliseconds, until all are corrected. So no corrected row meets one that
    /// is still to be corrected, in its own flight or in another.
    private static let setBack: Int64 = 1 << 61

    /// Corrects the times of this run's records after the clock was set. SondeHub's times were right.
    /// - Returns: whether a flight began.
    static func correct(by step: ClockStep, _ database: Database, faults: RowFaults) throws -> Bool {
        try correctWinds(by: step, database)
        var hasBegun = false
        let flights = try flights(steppedBy: step, database, faults: faults)
        for flights in Dictionary(grouping: flights, by: \.serial).values {
            // All flights of the sonde give their points before one gets them back, so that no point moves twice.
            let removed = try flights.map { flight in
                try setBackSideRecords(ofFlight: flight.id, by: step, database)
                return (flight, try removePoints(ofFlight: flight.id, since: step.since, database, faults: faults))
            }
            for (flight, points) in removed {
                let inserted = try insert(
                    points.map { $0.corrected(by: step) }, of: flight.serial, type: flight.type, database,
                    faults: faults)
                hasBegun = hasBegun || inserted.hasBegun
                try bringSideRecords(ofFlight: flight.id, to: inserted.flight ?? flight.id, database)
            }
            for flight in flights { try deleteIfItHasNoPoint(flight.id, database) }
        }
        return hasBegun
    }

    /// The flights with points or other records of this run. After a restart all points may be of an earlier run.
    private static func flights(
        steppedBy step: ClockStep, _ database: Database, faults: RowFaults
    ) throws -> [SteppedFlight] {
        let hasRecords = sideTables.keys.map {
            "EXISTS (SELECT 1 FROM \($0) WHERE flight = flight.id AND at >= :since)"
        }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, serial, sonde_type FROM flight
                WHERE last_at >= :since - \(lastAtLag) OR \(hasRecords.joined(separator: " OR ")) ORDER BY last_at
                """, arguments: ["since": step.since.millisecondsSince1970])
        return try rows.compactMap {
            try faults.read("flights", $0) { row in
                SteppedFlight(
                    id: try row.integer(0, "flight", in: .min ... .max), serial: try row.text(1, "serial"),
                    type: try row.text(2, "sonde type"))
            }
        }
    }

    /// Deletes the receiver's points of this run.
    /// - Returns: those that can be read, with their wrong times.
    private static func removePoints(
        ofFlight id: Int64, since: WallTime, _ database: Database, faults: RowFaults
    ) throws -> [TrackPoint] {
        let wrong = "at >= ? AND source = 'ble'"
        let points = try faults.values(
            pointRows, ofFlight: id, database, where: wrong, [since.millisecondsSince1970])
        try database.execute(
            sql: "DELETE FROM point WHERE flight = ? AND \(wrong)", arguments: [id, since.millisecondsSince1970])
        if database.changesCount > 0 { try endsWithItsPoints(id, database) }
        return points
    }

    /// Corrects the times of this run's side records and sets them back by ``setBack``. A flight may have 100 000 of
    /// them, so SQLite moves them and the gateway reads none.
    private static func setBackSideRecords(ofFlight id: Int64, by step: ClockStep, _ database: Database) throws {
        for (table, hasOwnTime) in sideTables {
            try database.execute(
                sql: """
                    UPDATE OR REPLACE \(table) SET at = at + iif(\(hasOwnTime), :step, 0) - :setBack
                    WHERE flight = :flight AND at BETWEEN :since AND :latest
                    """,
                arguments: [
                    "step": step.milliseconds, "setBack": setBack, "flight": id,
                    "since": step.since.millisecondsSince1970, "latest": Plausible.times.upperBound,
                ])
        }
    }

    /// Ends ``setBackSideRecords(ofFlight:by:_:)``.
    /// - Parameter home: the flight that this run's points belong to now.
    private static func bringSideRecords(ofFlight id: Int64, to home: Int64, _ database: Database) throws {
        for table in sideTables.keys {
            try database.execute(
                sql: """
                    UPDATE OR REPLACE \(table) SET flight = :home, at = at + :setBack
                    WHERE flight = :flight AND at < :setBack / -2
                    """, arguments: ["home": home, "setBack": setBack, "flight": id])
        }
        // A flight that gave all its points away is deleted, and its report of recovery with it.
        try database.execute(
            sql: """
                UPDATE flight SET (recovery, recovery_note) =
                    (SELECT recovery, recovery_note FROM flight WHERE id = :flight)
                WHERE id = :home AND recovery IS NULL AND NOT EXISTS (SELECT 1 FROM point WHERE flight = :flight)
                """, arguments: ["home": home, "flight": id])
    }
}
