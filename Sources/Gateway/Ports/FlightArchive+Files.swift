import FlightMath
public import GatewayReports

extension FlightArchive {
    /// The number of points that are read and written together.
    private static var step: Int { 500 }

    /// Writes a flight as a file, piece by piece. Only some hundred points are in memory at a time.
    ///
    /// The flight is read twice, because the named places come first in some formats. Points that are recorded
    /// meanwhile may be in the file.
    /// - Parameter give: receives the next bytes. The next piece is made when it returns.
    /// - Throws: ``StoreError``, or an error of `give`.
    public func write(
        _ flight: ArchivedFlight, as format: FlightFileFormat, to give: ([UInt8]) async throws -> Void
    ) async throws {
        var marks = FlightMarks()
        try await forEachPiece(of: flight) { marks.add($0) }
        var file = FlightFile(format, of: flight, marks: marks)
        try await give(file.begin())
        try await forEachPiece(of: flight) { try await give(file.add($0)) }
        try await give(file.end())
    }

    private func forEachPiece(
        of flight: ArchivedFlight, _ body: ([TrackPoint]) async throws -> Void
    ) async throws {
        var second = Int64.min
        while true {
            let piece = try await points(ofFlight: flight.id, after: second, limit: Self.step)
            guard let last = piece.last else { return }
            try await body(piece)
            second = last.second
        }
    }
}
