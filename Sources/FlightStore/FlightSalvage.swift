import FlightMath
import FoundationEssentials
import GRDB
import Gateway
public import GatewayReports
import ReceiverProtocol

/// Copies what can be read of a damaged file into the store: flights with their points, landing points, lesson, the car's
/// way, how the sonde was heard and what happened to the receiver. A flight that the store has gains the points that it
/// lacks.
///
/// SQLite stops at a damaged page. So each flight is read from both of its ends, and what lies between is lost.
public struct FlightSalvage: Sendable {
    /// What a damaged file gave.
    public struct Summary: Equatable, Sendable {
        public var flights = 0
        public var points = 0
        /// The flights and rows that could not be read.
        public var lost = 0
    }

    /// The most points in one transaction.
    private static let lot = 5000
    private static let mostFlights = 100_000

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
        for id in try await numbers() {
            guard let flight = try? await damaged.read({ try Self.head(ofFlight: id, $0) }) else {
                summary.lost += 1
                continue
            }
            let points = await points(ofFlight: id)
            guard !points.isEmpty else { continue }
            for start in stride(from: 0, to: points.count, by: Self.lot) {
                let lot = Array(points[start..<min(start + Self.lot, points.count)])
                try await save([.points(flight.serial, flight.type, lot)])
            }
            try await save(await rest(of: flight))
            summary.flights += 1
            summary.points += points.count
        }
        summary.lost += damaged.faults.count
        return summary
    }

    private struct Head: Sendable {
        var id: Int64
        var serial: SondeSerial
        var type: SondeType
    }

    private func save(_ entries: [FlightLogEntry]) async throws(StoreError) {
        _ = try await store.save(StoreBatch(entries: entries), now: nil)
    }

    /// The flights' numbers, from both ends of the table.
    private func numbers() async throws(StoreError) -> [Int64] {
        var found: Set<Int64> = []
        var fault: StoreError?
        for order in ["ASC", "DESC"] {
            do throws(StoreError) {
                found.formUnion(
                    try await damaged.read { database in
                        var some: [Int64] = []
                        let rows = try Row.fetchCursor(
                            database, sql: "SELECT id FROM flight ORDER BY id \(order) LIMIT ?",
                            arguments: [Self.mostFlights])
                        while let row = try? rows.next() {
                            some += [Int64.fromDatabaseValue(row[0])].compactMap(\.self)
                        }
                        return some
                    })
            } catch {
                fault = error
            }
        }
        if found.isEmpty, let fault { throw fault }
        return found.sorted()
    }

    private static func head(ofFlight id: Int64, _ database: Database) throws -> Head? {
        try Row.fetchOne(database, sql: "SELECT serial, sonde_type FROM flight WHERE id = ?", arguments: [id]).map {
            row in
            Head(
                id: id, serial: try FlightStore.serial(row, 0),
                type: SondeType(name: try row.text(1, "sonde type")))
        }
    }

    private func points(ofFlight id: Int64) async -> [TrackPoint] {
        var all: [WallTime: TrackPoint] = [:]
        for order in ["ASC", "DESC"] {
            let some = try? await damaged.read { [faults = damaged.faults] database in
                var some: [TrackPoint] = []
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT at, latitude, longitude, altitude_m, source FROM point WHERE flight = ?
                        ORDER BY second \(order)
                        """, arguments: [id])
                while let row = try? rows.next() {
                    if let point = try faults.read("points", row, { try TrackPoint($0) }) { some.append(point) }
                }
                return some
            }
            for point in some ?? [] { all[point.time] = point }
        }
        return all.values.sorted { $0.time < $1.time }
    }

    private func rest(of flight: Head) async -> [FlightLogEntry] {
        let faults = damaged.faults
        let places = try? await damaged.read { try FlightStore.landingPoints(ofFlight: flight.id, $0, faults: faults) }
        let lessons = try? await damaged.read { try FlightStore.lessons($0, faults: faults, ofFlight: flight.id) }
        let way = try? await damaged.read {
            try FlightStore.carPoints(
                $0, ofFlight: flight.id, after: .min, limit: FlightStore.mostCarPoints, faults: faults)
        }
        let samples = try? await damaged.read {
            try FlightStore.samples($0, ofFlight: flight.id, seconds: .min ... .max, faults: faults)
        }
        let events = try? await damaged.read {
            try FlightStore.receiverEvents($0, ofFlight: flight.id, faults: faults)
        }
        var entries: [FlightLogEntry] = []
        for place in places ?? [] { entries.append(.landingPoint(flight.serial, place)) }
        for point in way ?? [] { entries.append(.carPoint(flight.serial, point)) }
        for sample in samples ?? [] { entries.append(.sample(flight.serial, sample)) }
        for event in events ?? [] { entries.append(.receiver(flight.serial, event)) }
        for lesson in lessons ?? [] { entries.append(.lesson(flight.serial, lesson)) }
        return entries
    }
}
