/// Does the sonde stand still? Judged over a window of its newest gated points.
///
/// | window | when |
/// | --- | --- |
/// | the last 30 s | ≥ 5 points that span ≥ 12 s |
/// | the last 90 s | ≥ 3 points that span ≥ 15 s |
/// | the last two points | 15 to 180 s apart |
///
/// It supports when the net speed is below 1 m/s over ground and 1.2 m/s vertically, below 5000 m; real descents are
/// never slower than 1.8 m/s. No point of it may be further up or down than that speed allows: a balloon that turns from
/// rising to falling in still air has no net speed either. Unbroken support for 20 s and three windows (two of two points) is rest.
struct RestDetector: Equatable, Sendable {
    private static let slowest = 1.0
    private static let stillVertical = 1.2
    /// What a GPS's altitude jumps about on the ground.
    private static let noiseMetres = 25.0
    private static let highestMetres = 5000.0
    private static let seconds = 20.0

    /// The newest window supports.
    var isSupporting: Bool { updates > 0 }
    /// When the first of the supporting windows began.
    private var since: WallTime?
    /// Of the first supporting window: after touch-down a GPS's altitude slides by hundreds of metres.
    private var altitudeMetres = 0.0
    private var updates = 0

    /// Looks at the points with their new newest one.
    /// - Returns: where it lies, once it is at rest: the median place of the window, since when it has been there.
    mutating func follow(_ recent: RecentPoints) -> TrackPoint? {
        guard let window = Self.window(recent), Self.supports(window), let first = window.first, let last = window.last
        else {
            updates = 0
            return nil
        }
        if updates == 0 {
            since = first.time
            altitudeMetres = window.map(\.altitudeMetres).median
        }
        updates += 1
        guard let since, last.time.seconds(since: since) >= Self.seconds, updates >= (window.count == 2 ? 2 : 3) else {
            return nil
        }
        return TrackPoint(
            time: since, coordinate: Self.median(window, around: last.coordinate), altitudeMetres: altitudeMetres,
            source: last.source)
    }

    /// The points to judge by; nil when they are too few or too far apart.
    static func window(_ recent: RecentPoints) -> ArraySlice<TrackPoint>? {
        let near = recent.window(seconds: 30)
        if near.count >= 5, near.spanSeconds >= 12 { return near }
        let wide = recent.window(seconds: 90)
        if wide.count >= 3, wide.spanSeconds >= 15 { return wide }
        let two = recent.points.suffix(2)
        return two.count == 2 && (15...180).contains(two.spanSeconds) ? two : nil
    }

    private static func supports(_ window: ArraySlice<TrackPoint>) -> Bool {
        guard let last = window.last, last.altitudeMetres < highestMetres, let speeds = window.netSpeeds else {
            return false
        }
        guard speeds.horizontal < slowest, abs(speeds.vertical) < stillVertical else { return false }
        var (low, high) = (last.altitudeMetres, last.altitudeMetres)
        for point in window {
            low = min(low, point.altitudeMetres)
            high = max(high, point.altitudeMetres)
        }
        return high - low <= stillVertical * window.spanSeconds + noiseMetres
    }

    private static func median(_ window: ArraySlice<TrackPoint>, around centre: Coordinate) -> Coordinate {
        let turns = window.map { ($0.coordinate.longitude - centre.longitude).remainder(dividingBy: 360) }
        return Coordinate(
            latitude: window.map(\.coordinate.latitude).median,
            longitude: (centre.longitude + turns.median).remainder(dividingBy: 360))
    }
}
