import FlightMath
import GatewayReports
import ReceiverProtocol

extension OnlinePrediction {
    /// No sonde drifts faster over ground, m/s.
    private static let fastest = 150.0
    /// A course that ends higher above the ground does not end in a landing, metres.
    private static let highestEnd = 1500.0
    /// The tolerance for the rounded positions and times of a course, metres.
    private static let rounding = 2000.0

    /// Why this is no landing prediction; nil if it is one.
    /// - Parameters:
    ///   - groundMetres: the altitude of the ground below the landing.
    ///   - newest: where the sonde was last; nil before its launch.
    func fault(groundMetres: Double, from newest: TrackPoint? = nil) -> String? {
        guard landing.altitudeMetres <= groundMetres + Self.highestEnd else { return "its course ends in the air" }
        for (point, next) in zip(path, path.dropFirst())
        where Self.isTooFar(point.coordinate, next.coordinate, seconds: next.time.seconds(since: point.time)) {
            return "its course leaps"
        }
        guard let newest, let first = path.first else { return nil }
        let seconds = abs(first.time.seconds(since: newest.time))
        return Self.isTooFar(newest.coordinate, first.coordinate, seconds: seconds) ? "it begins elsewhere" : nil
    }

    private static func isTooFar(_ start: Coordinate, _ end: Coordinate, seconds: Double) -> Bool {
        start.distanceMetres(to: end) > fastest * seconds + rounding
    }
}
