import FlightMath

/// Finds the gaps of a track.
enum TrackGap {
    /// No line joins points further apart than this, seconds.
    private static let seconds = 60.0

    static func lies(between earlier: TrackPoint, and later: TrackPoint) -> Bool {
        later.time.seconds(since: earlier.time) > seconds
    }

    /// A car that stands has no points, and no gap: it goes on from the same place.
    static func lies(between earlier: CarPoint, and later: CarPoint) -> Bool {
        later.time.seconds(since: earlier.time) > seconds
            && earlier.coordinate.distanceMetres(to: later.coordinate) > RelativePosition.nearMetres
    }
}
