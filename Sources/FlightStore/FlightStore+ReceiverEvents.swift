import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

// What happened to the receiver during flights.

extension FlightStore {
    /// The most events of a flight; later ones are left out. A receiver that restarts every 10 s makes them in an hour.
    static let mostReceiverEvents = 1000

    static let receiverEventTable = """
        CREATE TABLE receiver_event (
            flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, at INTEGER NOT NULL, kind TEXT NOT NULL,
            firmware TEXT, receiver_mv INTEGER, PRIMARY KEY (flight, at, kind)
        ) STRICT, WITHOUT ROWID;
        """

    static let receiverEventRows = FlightRows(
        table: "receiver_event", columns: "at, kind, firmware, receiver_mv", name: "the receiver's events"
    ) { try ReceiverEvent($0) }

    static func record(
        _ event: ReceiverEvent, in flight: StoredFlight, _ database: Database, _ counts: inout RowCounts
    ) throws {
        let time = event.time.millisecondsSince1970
        guard Plausible.times.contains(time), time - flight.lastAt < flightGap else { return }
        try counts.insert(
            into: "receiver_event", of: flight, most: mostReceiverEvents, database,
            sql: """
                INSERT OR IGNORE INTO receiver_event (flight, at, kind, firmware, receiver_mv) VALUES (?, ?, ?, ?, ?)
                """, [flight.id, time, event.kind.rawValue, event.firmware, event.millivolts])
    }

    /// By time.
    static func receiverEvents(
        _ database: Database, ofFlight id: Int64, faults: RowFaults
    ) throws -> [ReceiverEvent] {
        try faults.values(receiverEventRows, ofFlight: id, database)
    }

    /// The firmware's version in the newest flight that has one; nil if none has.
    static func newestFirmware(_ database: Database, faults: RowFaults) throws -> String? {
        let row = try faults.readable("the receiver's events") {
            try Row.fetchOne(
                database,
                sql: """
                    SELECT firmware FROM receiver_event WHERE firmware IS NOT NULL ORDER BY flight DESC, at DESC LIMIT 1
                    """)
        }
        return try row.flatMap(\.self).flatMap { row in
            try faults.read("the receiver's events", row) { try $0.text(0, "firmware") }
        }
    }
}

extension ReceiverEvent {
    /// - Parameter row: time, kind, firmware, voltage.
    fileprivate init(_ row: Row) throws {
        let kind = try row.text(1, "event")
        guard let kind = Kind(rawValue: kind) else { throw Damage(description: "an event can't be \(kind)") }
        self.init(
            kind, at: try row.time(0, "time"), firmware: row.isNull(2) ? nil : try row.text(2, "firmware"),
            millivolts: row.isNull(3) ? nil : Int(try row.integer(3, "voltage", in: 0...100_000)))
    }
}
