import Foundation

/// Run by Tests/measure-flights.sh: `FlightMeasurements [--verbose] FOLDER`.
///
/// The folder holds real flights as CSV files and `expected.csv`, what a reference predicts for them. No flight is part
/// of this repository.
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
            PredictionFigures(tracks: tracks, expected: try CSV(file: expected)).report(isVerbose: isVerbose)
        }
        DetectorFigures(tracks: tracks).report()
        SpeedFigures(tracks: tracks).report()
    }
}
