import Foundation

/// Tests/measure-flights.sh runs this: `FlightMeasurements [--verbose | --radii | --advice | --told=FLIGHT] FOLDER`.
/// `--radii` prints only the lines for `fit-radii.py`, `--advice` those for `advice.mjs`, `--told` only what a crew hears
/// in one flight.
///
/// The folder holds real flights as CSV files, and `expected.csv` with a reference's predictions for them. This
/// repository contains no flights.
@main
struct FlightMeasurements {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isVerbose = arguments.contains("--verbose")
        let isForRadii = arguments.contains("--radii")
        let isForAdvice = arguments.contains("--advice")
        let told = arguments.compactMap { $0.hasPrefix("--told=") ? $0.dropFirst(7) : nil }.first
        arguments.removeAll { ["--verbose", "--radii", "--advice"].contains($0) || $0.hasPrefix("--told=") }
        guard arguments.count == 1, let path = arguments.first else {
            print(
                "usage: FlightMeasurements [--verbose | --radii | --advice | --told=FLIGHT] FOLDER "
                    + "(see Tests/measure-flights.sh)")
            exit(64)
        }
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let tracks = try RecordedTrack.all(in: folder)
        let expected = folder.appendingPathComponent("expected.csv")
        let rows = FileManager.default.fileExists(atPath: expected.path) ? try CSV(file: expected) : nil
        let companions = try? RecordedTrack.all(in: folder.appendingPathComponent("companions"))
        let others = rows.map { OtherFlights(tracks: tracks + (companions ?? []), expected: $0) }
        if isForRadii, let others {
            var table = RadiusRows(others)
            return table.report()
        }
        if let told, let others {
            let towns = folder.appendingPathComponent("towns.csv")
            for track in tracks where track.name == told {
                var flight = try ToldFlight(track, others, towns: towns)
                flight?.report()
            }
            return
        }
        if isForAdvice, let others { return AdviceRows(flights: others).report(tracks) }
        print("\(tracks.count) flights, \(tracks.map(\.points.count).reduce(0, +)) points\n")
        if let rows { predictions(tracks, rows, isVerbose: isVerbose) }
        if let others { WindMemoryFigures(others).report(isVerbose: isVerbose) }
        if let others { JoinedWindFigures(others).report() }
        if let others { DescentRateFigures(flights: others).report() }
        if let others { SpokenFigures(tracks, others).report() }
        DetectorFigures(tracks: tracks).report()
        SpeedFigures(tracks: tracks).report()
        SpeedFigures(tracks: tracks).reportPredictions()
        EnduranceFigures().report()
    }

    private static func predictions(_ tracks: [RecordedTrack], _ rows: CSV, isVerbose: Bool) {
        PredictionFigures(tracks: tracks, expected: rows).report(isVerbose: isVerbose)
        PredictionFigures(tracks: tracks, expected: rows, deafness: .lowAscent).reportDescent(
            "Nothing heard of the ascent below 8 km",
            reference: [
                ("dn10", false, "5.0 / 10.4"), ("dn5", false, "3.7 / 7.8"), ("dn2", false, "1.6 / 3.3"),
            ])
        PredictionFigures(tracks: tracks, expected: rows, deafness: .wholeAscent).reportDescent(
            "Nothing heard of the ascent",
            reference: [
                ("dn10", false, "9.6 / 20"), ("dn5", false, "3.7 / 7.8"), ("dn10", true, "7.0 / 18"),
                ("dn5", true, "2.1 / 5.2"),
            ])
        PredictionFigures(tracks: tracks, expected: rows, knowsGround: true).reportDescent(
            "The ground is known: the altitude at which the track ends",
            reference: [
                ("dn2", false, "0.81 / 2.2"), ("dn1", false, "0.52 / 1.75"), ("dn2", true, ""), ("dn1", true, "0.25"),
            ])
    }
}
