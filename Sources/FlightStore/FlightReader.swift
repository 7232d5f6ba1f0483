public import FlightMath
import GRDB
public import Gateway
public import GatewayReports
public import ReceiverProtocol
import Synchronization
import Threads

/// Reads the flights that ``FlightStore`` has recorded, over a connection of its own. It also works while a gateway
/// writes, in this process or another. It never changes the file.
///
/// What can't be read is left out, be it a row or a page: ``isDamaged`` tells of it. Each statement stands for itself,
/// outside a transaction, because SQLite ends the transaction in which the disk fails.
public final class FlightReader: FlightArchive {
    private struct State {
        /// Nil before the first use, and after a failure.
        var queue: DatabaseQueue?
        /// The file that was opened last.
        var identity: StoreFile.Identity?
        /// How it was opened.
        var isImmutable = false
    }

    /// SQLite's page cache in kB. It can be small, because points are read in sequence.
    private static let cacheKilobytes = 256

    private let file: StoreFile
    /// The file is damaged; what can be read of it is wanted.
    private let isForSalvage: Bool
    let faults = RowFaults(leavesOutPages: true)
    private let state = Mutex(State())

    /// - Parameter path: the store's file, which is opened at the first use.
    public init(path: String) {
        file = StoreFile(path: path)
        isForSalvage = false
    }

    /// - Parameter path: a damaged file.
    init(damaged path: String) {
        file = StoreFile(path: path)
        isForSalvage = true
    }

    /// A part of the file could not be read, and was left out.
    public var isDamaged: Bool { faults.count > 0 }

    public func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight] {
        // Those of this answer: where nothing can be read, nobody may say that nothing is recorded.
        let faults = RowFaults(leavesOutPages: true)
        defer { self.faults.add(faults) }
        var flights: [ArchivedFlight] = []
        let heads = try await read { try Self.heads($0, of: serial, faults: faults) }
        for head in heads.sorted(by: { $0.lastAt > $1.lastAt }).prefix(limit) {
            if let flight = try await read({ try Self.flight(head.id, $0, faults: faults) }) { flights.append(flight) }
        }
        if flights.isEmpty, let fault = faults.pageFault { throw fault }
        return flights
    }

    public func points(
        ofFlight id: Int64, after second: Int64, limit: Int
    ) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            try faults.values(
                FlightStore.pointRows, ofFlight: id, database, where: "second > ?", [second], limit: limit)
        }
    }

    public func points(
        ofFlight id: Int64, skipping count: Int, limit: Int
    ) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            let rows = try faults.readable("points") {
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT \(FlightStore.pointRows.columns) FROM point
                        WHERE flight = ? ORDER BY second LIMIT ? OFFSET ?
                        """, arguments: [id, limit, count])
            }
            if let rows { return try rows.compactMap { try faults.read("points", $0, FlightStore.pointRows.decode) } }
            let points = try FlightStore.points(ofFlight: id, database, faults: faults)
            return Array(points.dropFirst(count).prefix(limit))
        }
    }

    public func newestPoints(ofFlight id: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] {
        try await read { [faults] database in
            try FlightStore.points(ofFlight: id, database, isDescending: true, limit: limit, faults: faults).reversed()
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
            try faults.values(FlightStore.sampleRows, ofFlight: id, database, where: "at > ?", [time], limit: limit)
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
        for head in try await read({ [faults] in try Self.heads($0, of: nil, faults: faults) }) {
            coverage.add(try await read { [faults] in try FlightStore.coverage($0, ofFlight: head.id, faults: faults) })
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

    /// A flight's number, and when it ended, milliseconds since 1970.
    typealias Head = (id: Int64, lastAt: Int64)

    /// By number.
    /// - Throws: the page's fault if there are flights, and none can be read.
    static func heads(_ database: Database, of serial: SondeSerial?, faults: RowFaults) throws -> [Head] {
        let own = RowFaults(leavesOutPages: true)
        defer { faults.add(own) }
        let rows = OrderedRows(
            sql: "SELECT id, last_at FROM flight WHERE ? IS NULL OR serial = ?",
            arguments: [serial?.canonical, serial?.canonical], key: "id")
        let heads = try own.values("flights", rows, database) { row in
            (try row.integer(0, "flight", in: .min ... .max), try row.integer(1, "time", in: .min ... .max))
        }
        if heads.isEmpty, let fault = own.pageFault { throw fault }
        return heads
    }

    /// - Returns: nil for a flight without a point that can be read.
    private static func flight(_ id: Int64, _ database: Database, faults: RowFaults) throws -> ArchivedFlight? {
        let row = try faults.readable("flights") {
            try Row.fetchOne(
                database, sql: "SELECT serial, sonde_type, recovery, recovery_note FROM flight WHERE id = ?",
                arguments: [id])
        }
        guard let row = row.flatMap(\.self) else { return nil }
        return try faults.read("flights", row) { row in try flight(id, row, database, faults: faults) }.flatMap(\.self)
    }

    /// - Parameter row: serial, type, recovery, its note.
    private static func flight(
        _ id: Int64, _ row: Row, _ database: Database, faults: RowFaults
    ) throws -> ArchivedFlight? {
        let last = try FlightStore.points(ofFlight: id, database, isDescending: true, limit: 1, faults: faults).first
        guard let last else { return nil }
        let summary = try Summary(ofFlight: id, database, faults: faults)
        let landing = try landing(ofFlight: id, source: last.source, database, faults: faults)
        var flight = ArchivedFlight(
            id: id, serial: try FlightStore.serial(row, 0), sondeType: SondeType(name: try row.text(1, "sonde type")),
            firstAt: summary.firstAt, last: last, points: summary.points, highestMetres: summary.highestMetres,
            landing: landing,
            predictedLanding: landing == nil
                ? try FlightStore.landingPoints(ofFlight: id, database, faults: faults).last?.coordinate : nil)
        flight.recovery = row.isNull(2) ? nil : try row.text(2, "recovery")
        flight.recoveryNote = row.isNull(3) ? nil : try row.text(3, "note")
        return flight
    }

    /// A landing that can't be read is no reason to lose the flight.
    private static func landing(
        ofFlight id: Int64, source: TelemetrySource, _ database: Database, faults: RowFaults
    ) throws -> TrackPoint? {
        let row = try faults.readable("lessons") {
            try Row.fetchOne(
                database,
                sql: """
                    SELECT at, landing_latitude, landing_longitude, landing_altitude_m FROM lesson
                    WHERE flight = ? AND landing_latitude IS NOT NULL
                    """, arguments: [id])
        }
        return try row.flatMap(\.self).flatMap { row in
            try faults.read("lessons", row) { row in
                TrackPoint(
                    time: try row.time(0, "time"), coordinate: try row.place(1),
                    altitudeMetres: try row.real(3, "altitude", in: Plausible.altitudes), source: source)
            }
        }
    }

    /// What a flight's points show together.
    private struct Summary {
        var points: Int
        var firstAt: WallTime
        var highestMetres: Double

        /// - Throws: ``Damage`` if no point can be read.
        init(ofFlight id: Int64, _ database: Database, faults: RowFaults) throws {
            let row = try faults.readable("points") {
                try Row.fetchOne(
                    database,
                    sql: """
                        SELECT count(*), min(at), max(altitude_m) FROM point
                        WHERE flight = ? AND at BETWEEN ? AND ? AND altitude_m BETWEEN ? AND ?
                        """,
                    arguments: [
                        id, Plausible.times.lowerBound, Plausible.times.upperBound, Plausible.altitudes.lowerBound,
                        Plausible.altitudes.upperBound,
                    ])
            }
            if let row = row.flatMap(\.self) {
                points = Int(clamping: try row.integer(0, "points", in: 0 ... .max))
                firstAt = try row.time(1, "time")
                highestMetres = try row.real(2, "altitude", in: Plausible.altitudes)
            } else {
                let all = try FlightStore.points(ofFlight: id, database, faults: faults)
                guard let first = all.first else { throw Damage(description: "no point can be read") }
                (points, firstAt) = (all.count, first.time)
                highestMetres = all.map(\.altitudeMetres).max() ?? first.altitudeMetres
            }
        }
    }

    // MARK: - The file

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await queue().unsafeRead(body)
        } catch let error as StoreError {
            throw error
        } catch {
            // Another file may have the name at the next call.
            state.withLock { $0.queue = nil }
            throw StoreError(error)
        }
    }

    private func queue() throws -> DatabaseQueue {
        LoopThread.assertMayBlock()
        return try state.withLock { state in
            guard let identity = file.identity else {
                throw StoreError(.readOnly, "there is no file \(file.path), or it can't be looked at")
            }
            // Once the file can change again, it is read as such.
            let isImmutable = file.isImmutable
            if let queue = state.queue, state.identity == identity, state.isImmutable == isImmutable { return queue }
            try file.checkKind()
            let used = !isForSalvage && file.isOfNewerVersion ? file.beside : file
            guard used.identity != nil else {
                throw StoreError(.readOnly, "\(file.path) is of a newer version of this program")
            }
            let queue = try used.openForReading(cacheKilobytes: Self.cacheKilobytes)
            if !isForSalvage { try used.checkLastPage(of: queue) }
            if state.identity != identity { faults.forget() }
            state = State(queue: queue, identity: identity, isImmutable: isImmutable)
            return queue
        }
    }
}
