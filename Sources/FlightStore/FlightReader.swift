public import FlightMath
import GRDB
public import Gateway
public import GatewayReports
public import ReceiverProtocol
import Synchronization
import Threads

/// Reads the flights that ``FlightStore`` has recorded, over a connection of its own. It also works while a gateway
/// writes, in this process or another. It never changes the file.
public final class FlightReader: FlightArchive {
    private struct Opened {
        var queue: DatabaseQueue
        var identity: StoreFile.Identity?
    }

    /// SQLite's page cache in kB. It can be small, because points are read in sequence.
    private static let cacheKilobytes = 256

    private let file: StoreFile
    /// The file is damaged; what can be read of it is wanted.
    private let isDamaged: Bool
    let faults = RowFaults()
    private let opened = Mutex<Opened?>(nil)

    /// - Parameter path: the store's file, which is opened at the first use.
    public init(path: String) {
        file = StoreFile(path: path)
        isDamaged = false
    }

    /// - Parameter path: a damaged file.
    init(damaged path: String) {
        file = StoreFile(path: path)
        isDamaged = true
    }

    public func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight] {
        try await read { [faults] in try Self.flights($0, of: serial, limit: limit, faults: faults) }
    }

    public func points(
        ofFlight id: Int64, after second: Int64, limit: Int
    ) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(FlightStore.pointRows.columns) FROM point WHERE flight = ? AND second > ?
                    ORDER BY second
                    """, arguments: [id, second])
            return try Self.first(limit, of: rows, "points", faults) { try TrackPoint(ofItsSecond: $0) }
        }
    }

    /// The first values of some rows. A damaged row does not count, so a shorter answer means that no row is left.
    static func first<Value>(
        _ limit: Int, of rows: RowCursor, _ table: String, _ faults: RowFaults, _ decode: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        while values.count < limit, let row = try rows.next() {
            if let value = try faults.read(table, row, decode) { values.append(value) }
        }
        return values
    }

    public func points(
        ofFlight id: Int64, skipping count: Int, limit: Int
    ) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            try FlightStore.points(
                database, where: "flight = ? ORDER BY second LIMIT ? OFFSET ?", [id, limit, count], faults: faults)
        }
    }

    public func newestPoints(ofFlight id: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            try FlightStore.points(
                database, where: "flight = ? ORDER BY second DESC LIMIT ?", [id, limit], faults: faults
            ).reversed()
        }
    }

    public func carPoints(
        ofFlight id: Int64, after time: Int64, limit: Int
    ) async throws(StoreError) -> [CarPoint] {
        try await read { [faults] in
            try FlightStore.carPoints($0, ofFlight: id, after: time, limit: limit, faults: faults)
        }
    }

    public func samples(
        ofFlight id: Int64, seconds: ClosedRange<Int64>
    ) async throws(StoreError) -> [HeardSample] {
        try await read { [faults] in try FlightStore.samples($0, ofFlight: id, seconds: seconds, faults: faults) }
    }

    public func samples(
        ofFlight id: Int64, after time: Int64, limit: Int
    ) async throws(StoreError) -> [HeardSample] {
        try await read { [faults] database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT \(FlightStore.sampleRows.columns) FROM sample WHERE flight = ? AND at > ? ORDER BY at",
                arguments: [id, time])
            return try Self.first(limit, of: rows, FlightStore.sampleRows.name, faults, FlightStore.sampleRows.decode)
        }
    }

    public func receiverEvents(ofFlight id: Int64) async throws(StoreError) -> [ReceiverEvent] {
        try await read { [faults] in try FlightStore.receiverEvents($0, ofFlight: id, faults: faults) }
    }

    /// The firmware's version in the newest flight that has one; nil if none has.
    public func newestFirmware() async throws(StoreError) -> String? {
        try await read { [faults] in try FlightStore.newestFirmware($0, faults: faults) }
    }

    public func coverage() async throws(StoreError) -> HeardCoverage {
        var coverage = HeardCoverage(cells: [])
        // Flight by flight, so that other readers wait for one flight at most.
        for id in try await read({ try FlightStore.flightsWithSamples($0) }) {
            coverage.add(try await read { try FlightStore.coverage($0, ofFlight: id) })
        }
        return coverage
    }

    public func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore? {
        guard let landing = flight.landing else { return nil }
        let made = try await read { [faults] in
            try FlightStore.predictions($0, ofFlight: flight.id, faults: faults)
        }
        return made.isEmpty ? nil : LandingScore(Dictionary(grouping: made, by: \.method), landing: landing)
    }

    /// The lessons of the flights, the newest first.
    public func lessons() async throws(StoreError) -> [FlightLesson] {
        try await read { [faults] in try FlightStore.lessons($0, faults: faults) }
    }

    // MARK: - Queries

    private static func flights(
        _ database: Database, of serial: SondeSerial?, limit: Int, faults: RowFaults
    ) throws -> [ArchivedFlight] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, serial, sonde_type, lesson.at, landing_latitude, landing_longitude, landing_altitude_m,
                    recovery, recovery_note
                FROM flight LEFT JOIN lesson ON lesson.flight = flight.id WHERE ? IS NULL OR serial = ?
                ORDER BY last_at DESC LIMIT ?
                """, arguments: [serial?.canonical, serial?.canonical, limit])
        return try rows.compactMap { row in
            try faults.read("flights", row) { row in try flight(row, database, faults: faults) }.flatMap(\.self)
        }
    }

    /// - Returns: nil for a flight without a point that can be read.
    private static func flight(_ row: Row, _ database: Database, faults: RowFaults) throws -> ArchivedFlight? {
        let id = try row.integer(0, "flight", in: .min ... .max)
        let summary = try Row.fetchOne(
            database,
            sql: """
                SELECT count(*), min(at), max(altitude_m) FROM point
                WHERE flight = ? AND at BETWEEN ? AND ? AND altitude_m BETWEEN ? AND ?
                """,
            arguments: [
                id, Plausible.times.lowerBound, Plausible.times.upperBound, Plausible.altitudes.lowerBound,
                Plausible.altitudes.upperBound,
            ])
        let last = try FlightStore.points(
            database, where: "flight = ? ORDER BY second DESC LIMIT 20", [id], faults: faults
        ).first
        guard let summary, let last else { return nil }
        // A landing that can't be read is no reason to lose the flight.
        let landing = try faults.read("lessons", row) { row in
            row.isNull(4)
                ? nil
                : TrackPoint(
                    time: try row.time(3, "time"), coordinate: try row.place(4),
                    altitudeMetres: try row.real(6, "altitude", in: Plausible.altitudes), source: last.source)
        }.flatMap(\.self)
        var flight = ArchivedFlight(
            id: id, serial: try FlightStore.serial(row, 1),
            sondeType: SondeType(name: try row.text(2, "sonde type")), firstAt: try summary.time(1, "time"),
            last: last, points: Int(clamping: try summary.integer(0, "points", in: 0 ... .max)),
            highestMetres: try summary.real(2, "altitude", in: Plausible.altitudes), landing: landing,
            predictedLanding: landing == nil
                ? try FlightStore.landingPoints(ofFlight: id, database, faults: faults).last?.coordinate : nil)
        flight.recovery = row.isNull(7) ? nil : try row.text(7, "recovery")
        flight.recoveryNote = row.isNull(8) ? nil : try row.text(8, "note")
        return flight
    }

    // MARK: - The file

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await queue().read(body)
        } catch let error as StoreError {
            throw error
        } catch {
            // Another file may have the name at the next call.
            opened.withLock { $0 = nil }
            throw StoreError(error)
        }
    }

    private func queue() throws -> DatabaseQueue {
        LoopThread.assertMayBlock()
        return try opened.withLock { opened in
            guard let identity = file.identity else {
                throw StoreError(.readOnly, "there is no file \(file.path), or it can't be looked at")
            }
            if let opened, opened.identity == identity { return opened.queue }
            try file.checkKind()
            let used = !isDamaged && file.isOfNewerVersion ? file.beside : file
            guard used.identity != nil else {
                throw StoreError(.readOnly, "\(file.path) is of a newer version of this program")
            }
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(1)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA cache_size = -\(Self.cacheKilobytes)")
            }
            let queue = try DatabaseQueue(path: used.path, configuration: configuration)
            if !isDamaged { try used.checkLastPage(of: queue) }
            opened = Opened(queue: queue, identity: identity)
            return queue
        }
    }
}
