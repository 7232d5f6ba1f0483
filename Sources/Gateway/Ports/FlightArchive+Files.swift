public import FlightMath
public import GatewayReports

extension FlightArchive {
    /// The number of points that are read and written together.
    private static var step: Int { 500 }

    /// Writes a flight as a file, piece by piece. Only some hundred points are in memory at a time.
    ///
    /// The flight is read twice, because the named places come first in some formats. Points that are recorded
    /// meanwhile may be in the file.
    /// - Parameters:
    ///   - withCar: whether the car's own way is wanted. Not every format can hold it (``FlightFileFormat/carsWay``).
    ///   - give: receives the next bytes. The next piece is made when it returns.
    /// - Throws: ``StoreError``, or an error of `give`.
    public func write(
        _ flight: ArchivedFlight, as format: FlightFileFormat, withCar: Bool = false,
        to give: ([UInt8]) async throws -> Void
    ) async throws {
        var marks = FlightMarks()
        try await forEachPiece(of: flight) { marks.add($0) }
        var file = FlightFile(format, of: flight, marks: marks)
        try await give(file.begin())
        try await forEachPiece(of: flight) { piece in
            var samples: [Int64: HeardSample] = [:]
            if format.holdsSamples { samples = try await self.samples(ofFlight: flight.id, beside: piece) }
            try await give(file.add(piece, samples: samples))
        }
        if withCar || format.carsWay == .always {
            try await forEachPiece(ofCarIn: flight) { try await give(file.add($0)) }
        }
        try await give(file.end())
    }

    /// Writes how a sonde was heard during a flight as a ``TelemetryFile``, piece by piece: also when it said no place.
    public func writeTelemetry(of flight: ArchivedFlight, to give: ([UInt8]) async throws -> Void) async throws {
        try await give(TelemetryFile.header)
        try await forEachPiece(
            { time in try await samples(ofFlight: flight.id, after: time, limit: Self.step) },
            inOrderOf: \.time.millisecondsSince1970
        ) { samples in
            try await give(TelemetryFile.lines(samples, places: try await points(ofFlight: flight.id, beside: samples)))
        }
    }

    /// The points in the seconds of some samples, which are in the order of time, by whole seconds since 1970.
    private func points(
        ofFlight id: ArchivedFlight.ID, beside samples: [HeardSample]
    ) async throws(StoreError) -> [Int64: TrackPoint] {
        guard let first = samples.first, let last = samples.last?.time.wholeSeconds else { return [:] }
        var found: [Int64: TrackPoint] = [:]
        var end = first.time.wholeSeconds &- 1
        while end < last {
            let piece = try await points(ofFlight: id, after: end, limit: Self.step)
            for point in piece { found[point.second] = point }
            guard let newest = piece.last?.second, newest > end else { break }
            end = newest
        }
        return found
    }

    /// How a sonde was heard in the seconds of some points, which are in the order of time. Of two samples in a second the
    /// receiver's is taken.
    public func samples(
        ofFlight id: ArchivedFlight.ID, beside points: [TrackPoint]
    ) async throws(StoreError) -> [Int64: HeardSample] {
        guard let first = points.first, let last = points.last else { return [:] }
        var found: [Int64: HeardSample] = [:]
        for sample in try await samples(ofFlight: id, seconds: first.second...max(first.second, last.second)) {
            let known = found[sample.time.wholeSeconds]
            if known == nil || known?.source == .sondehub { found[sample.time.wholeSeconds] = sample }
        }
        return found
    }

    /// The named places of a flight, what the crew's car did, and what happened to the receiver.
    public func log(of flight: ArchivedFlight) async throws(StoreError) -> FlightLogbook.Entry {
        var marks = FlightMarks()
        var chase = ChaseLog(landing: flight.landing)
        do {
            try await forEachPiece(of: flight) { marks.add($0) }
            try await forEachPiece(ofCarIn: flight) { chase.add($0) }
        } catch let error as StoreError {
            throw error
        } catch {
            // Only reading can fail.
        }
        return FlightLogbook.Entry(
            flight, marks: marks.marks, chase: chase,
            receiver: ReceiverSummary(try await receiverEvents(ofFlight: flight.id)))
    }

    private func forEachPiece(
        ofCarIn flight: ArchivedFlight, _ body: ([CarPoint]) async throws -> Void
    ) async throws {
        try await forEachPiece(
            { time in try await carPoints(ofFlight: flight.id, after: time, limit: Self.step) },
            inOrderOf: \.time.millisecondsSince1970, body)
    }

    private func forEachPiece(of flight: ArchivedFlight, _ body: ([TrackPoint]) async throws -> Void) async throws {
        try await forEachPiece(
            { second in try await points(ofFlight: flight.id, after: second, limit: Self.step) },
            inOrderOf: \.second, body)
    }

    /// - Parameters:
    ///   - next: reads the points after a time.
    ///   - time: the time by which the points are ordered, in the unit of `next`.
    private func forEachPiece<Point>(
        _ next: (Int64) async throws -> [Point], inOrderOf time: (Point) -> Int64,
        _ body: ([Point]) async throws -> Void
    ) async throws {
        var end = Int64.min
        while true {
            let piece = try await next(end)
            // A reader that repeats itself would be asked for ever.
            guard let last = piece.last, time(last) > end else { return }
            try await body(piece)
            end = time(last)
        }
    }
}
