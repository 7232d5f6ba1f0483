import Foundation

/// Tests/measure-flights.sh runs this: `FlightMeasurements [--verbose] FOLDER`.
///
/// The folder holds real flights as CSV files, and `expected.csv` with a reference's predictions for them. This
/// repository contains no flights.
@main
struct FlightMeasurements {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isVerbose = arguments.contains("--verbose")
        arguments.removeAll { $0 == "--verbose" }
        guard arguments.count == 1, let path = arguments.first else {
            print("usage: FlightMeasurements [--verbose] FOLDER (see Tests/measure-flights.sh)")
            exit(64)
        }
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let tracks = try RecordedTrack.all(in: folder)
        print("\(tracks.count) flights, \(tracks.map(\.points.count).reduce(0, +)) points\n")
        let expected = folder.appendingPathComponent("expected.csv")
        if FileManager.default.fileExists(atPath: expected.path) {
            let rows = try CSV(file: expected)
            PredictionFigures(tracks: tracks, expected: rows).report(isVerbose: isVerbose)
            PredictionFigures(tracks: tracks, expected: rows, deafness: .lowAscent).reportDeaf(
                "Nothing heard of the ascent below 8 km",
                reference: [
                    ("dn10", false, "5.0 / 10.4"), ("dn5", false, "3.7 / 7.8"), ("dn2", false, "1.6 / 3.3"),
                ])
            PredictionFigures(tracks: tracks, expected: rows, deafness: .wholeAscent).reportDeaf(
                "Nothing heard of the ascent",
                reference: [
                    ("dn10", false, "9.6 / 20"), ("dn5", false, "3.7 / 7.8"), ("dn10", true, "7.0 / 18"),
                    ("dn5", true, "2.1 / 5.2"),
                ])
        }
        DetectorFigures(tracks: tracks).report()
        SpeedFigures(tracks: tracks).report()
        EnduranceFigures().report()
    }
}
