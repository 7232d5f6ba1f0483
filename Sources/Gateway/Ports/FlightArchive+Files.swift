import FlightMath
public import GatewayReports

extension FlightArchive {
    /// Points that are read, and written, together.
    private static var step: Int { 500 }

    /// Writes a flight as a file, piece by piece: however long it is, only some hundred points are held at a time.
    ///
    /// It is read twice, as the named places stand first in some formats. What is recorded meanwhile may be in it.
    /// - Parameter give: takes the next bytes; the next piece is made when it returns.
    /// - Throws: ``StoreError``, or what `give` throws.
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
