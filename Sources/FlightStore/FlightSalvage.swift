import FlightMath
import FoundationEssentials
import GRDB
import Gateway
public import GatewayReports
import ReceiverProtocol

/// Copies what can be read of a damaged file into the store: flights with their points, landing points, lesson, report
/// of recovery, the car's way, how the sonde was heard and what happened to the receiver. A flight that the store has
/// gains the points that it lacks.
///
/// SQLite stops at a damaged page. So each table's rows of a flight are read from both ends, and what lies between is
/// lost: see ``RowFaults``.
public struct FlightSalvage: Sendable {
    /// What a damaged file gave.
    public struct Summary: Equatable, Sendable {
        public var flights = 0
        public var points = 0
        /// The flights, rows and stretches of rows that could not be read. Nobody knows how many rows a damaged page
        /// had.
        public var lost = 0
    }

    /// The most rows in one transaction.
    private static let lot = 5000

    private let damaged: FlightReader
    private let store: FlightStore

    public init(from path: String, into store: FlightStore) {
        damaged = FlightReader(damaged: path)
        self.store = store
    }

    /// The damaged files beside a store.
    public static func files(beside path: String) -> [String] {
        StoreFile(path: path).namesAside.filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// - Throws: if the store can't be written, or nothing at all can be read.
    public func run() async throws(StoreError) -> Summary {
        var summary = Summary()
        let faults = damaged.faults
        for number in try await damaged.read({ try FlightReader.heads($0, of: nil, faults: faults) }).map(\.id) {
            guard let head = try? await damaged.read({ try Self.head(ofFlight: number, $0) }) else {
                summary.lost += 1
                continue
            }
            let points = await rows(FlightStore.pointRows, ofFlight: head.id, &summary)
            try await lots(of: points) { lot throws(StoreError) in
                _ = try await store.save(StoreBatch(entries: [.points(head.serial, head.type, lot)]), now: nil)
            }
            guard let last = points.last, let home = try await home(of: head.serial, with: last) else { continue }
            try await copySideRecords(of: head, to: home, &summary)
            summary.flights += 1
            summary.points += Set(points.map(\.second)).count
        }
        summary.lost += faults.count
        return summary
    }

    private struct Head: Sendable {
        var id: Int64
        var serial: SondeSerial
        var type: SondeType
        /// Nil also in a file of an older version.
        var recovery: StoredRecovery?
    }

    /// The store's flight that gets the records.
    private struct Home: Sendable {
        var flight: StoredFlight
        var hasRecovery: Bool
        var hasLesson: Bool
    }

    /// The flight in the store that has the point.
    private func home(of serial: SondeSerial, with point: TrackPoint) async throws(StoreError) -> Home? {
        try await store.read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT id, sonde_type, last_at, recovery IS NOT NULL,
                        EXISTS (SELECT 1 FROM lesson WHERE flight = id)
                    FROM flight WHERE serial = ? AND EXISTS (SELECT 1 FROM point WHERE flight = id AND second = ?)
                    """, arguments: [serial.canonical, point.second])
            return try row.map { row in
                Home(
                    flight: try StoredFlight(row), hasRecovery: try row.integer(3, "flag", in: 0...1) == 1,
                    hasLesson: try row.integer(4, "flag", in: 0...1) == 1)
            }
        }
    }

    private func copySideRecords(
        of head: Head, to home: Home, _ summary: inout Summary
    ) async throws(StoreError) {
        let flight = home.flight
        if let recovery = head.recovery, !home.hasRecovery {
            try await store.write { try FlightStore.record(recovery, in: flight, $0) }
        }
        if !home.hasLesson {
            try await copy(FlightStore.lessonRows, head, &summary) { lesson, database, _ in
                try FlightStore.record(lesson, in: flight, database)
            }
        }
        try await copy(FlightStore.landingPointRows, head, &summary) { point, database, _ in
            try FlightStore.record(point, in: flight, database)
        }
        try await copy(FlightStore.carRows, head, &summary) { point, database, counts in
            try FlightStore.record(point, in: flight, database, &counts)
        }
        try await copy(FlightStore.sampleRows, head, &summary) { sample, database, counts in
            try FlightStore.record(sample, in: flight, database, &counts)
        }
        try await copy(FlightStore.receiverEventRows, head, &summary) { event, database, counts in
            try FlightStore.record(event, in: flight, database, &counts)
        }
    }

    private func copy<Value>(
        _ rows: FlightRows<Value>, _ head: Head, _ summary: inout Summary,
        _ record: (Value, Database, inout RowCounts) throws -> Void
    ) async throws(StoreError) {
        let values = await self.rows(rows, ofFlight: head.id, &summary)
        try await lots(of: values) { lot throws(StoreError) in
            try await store.write { database in
                var counts = RowCounts()
                for value in lot { try record(value, database, &counts) }
            }
        }
    }

    private func lots<Value>(
        of values: [Value], _ save: ([Value]) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        for start in stride(from: 0, to: values.count, by: Self.lot) {
            try await save(Array(values[start..<min(start + Self.lot, values.count)]))
        }
    }

    private static func head(ofFlight id: Int64, _ database: Database) throws -> Head? {
        let row = try Row.fetchOne(
            database, sql: "SELECT serial, sonde_type, * FROM flight WHERE id = ?", arguments: [id])
        guard let row else { return nil }
        // An older version's table does not have the last columns.
        let recovery = (row["recovery"] as? String).map {
            StoredRecovery(text: $0, note: row["recovery_note"] as? String)
        }
        return Head(
            id: id, serial: try FlightStore.serial(row, 0), type: SondeType(name: try row.text(1, "sonde type")),
            recovery: recovery)
    }

    /// A table's rows of a flight that can be read.
    private func rows<Value>(
        _ rows: FlightRows<Value>, ofFlight id: Int64, _ summary: inout Summary
    ) async -> [Value] {
        // Each flight's own, so that the same table of two flights counts twice.
        let faults = RowFaults(leavesOutPages: true)
        let values = try? await damaged.read { database in
            do {
                return try faults.values(rows, ofFlight: id, database)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // An older version's file does not have the table.
                return []
            }
        }
        summary.lost += faults.count + (values == nil ? 1 : 0)
        return values ?? []
    }
}
