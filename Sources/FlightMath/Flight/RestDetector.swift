/// Detects that the sonde lies still, by a window of its newest filtered points. The first row that applies is used:
///
/// | window | when |
/// | --- | --- |
/// | the last 30 s | ≥ 5 points that span ≥ 12 s |
/// | the last 90 s | ≥ 3 points that span ≥ 15 s |
/// | the last two points | 15 to 180 s apart |
///
/// A window supports rest if the net speed is below 1 m/s over ground and 1.2 m/s vertically, at an altitude below
/// 5000 m. In still air a balloon that turns from rising to falling has no net speed either. So no point of the window
/// may lie further up or down than the allowed speed explains. With half a balloon a sonde falls as slowly as 1 m/s. So
/// a window supports no rest while the altitude sinks steadily: faster than 0.5 m/s in each half of the last minute of
/// the descent.
///
/// The sonde is at rest after unbroken support for 20 s and by three windows (two, if they have two points each).
struct RestDetector: Equatable, Sendable {
    /// The noise of a GPS altitude on the ground.
    private static let noiseMetres = 25.0
    private static let sinkSpeed = -0.5
    private static let sinkSeconds = 60.0
    private static let seconds = 20.0

    /// The newest window supports rest.
    var isSupporting: Bool { updates > 0 }
    /// The time of the first supporting window's first point.
    private var since: WallTime?
    /// The altitude of the first supporting window. Later ones are worse: after touch-down a GPS altitude drifts by
    /// hundreds of metres.
    private var altitudeMetres = 0.0
    private var updates = 0

    /// Call after each new point.
    /// - Parameter top: when the descent began; nil while there is none.
    /// - Returns: once the sonde is at rest, the median place of the window with the time at which the rest began;
    ///   otherwise nil.
    mutating func follow(_ recent: RecentPoints, since top: WallTime? = nil) -> TrackPoint? {
        guard let window = Self.window(recent), Self.supports(window), !Self.isSinking(recent, since: top),
            let first = window.first, let last = window.last
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

    /// The window to judge; nil if the points are too few or too far apart.
    static func window(_ recent: RecentPoints) -> ArraySlice<TrackPoint>? {
        let near = recent.window(seconds: 30)
        if near.count >= 5, near.spanSeconds >= 12 { return near }
        let wide = recent.window(seconds: 90)
        if wide.count >= 3, wide.spanSeconds >= 15 { return wide }
        let two = recent.points.suffix(2)
        return two.count == 2 && (15...180).contains(two.spanSeconds) ? two : nil
    }

    private static func supports(_ window: ArraySlice<TrackPoint>) -> Bool {
        guard let last = window.last, last.altitudeMetres < Resting.highestMetres, let speeds = window.netSpeeds else {
            return false
        }
        guard Resting.includes(horizontal: speeds.horizontal, vertical: speeds.vertical) else { return false }
        var (low, high) = (last.altitudeMetres, last.altitudeMetres)
        for point in window {
            low = min(low, point.altitudeMetres)
            high = max(high, point.altitudeMetres)
        }
        return high - low <= Resting.vertical * window.spanSeconds + noiseMetres
    }

    private static func isSinking(_ recent: RecentPoints, since top: WallTime?) -> Bool {
        let minute = recent.window(seconds: sinkSeconds, spanning: sinkSeconds)
        var points = minute.count < 3 ? recent.points.suffix(3) : minute
        if let top { points = points.drop { $0.time < top } }
        guard let last = points.last, points.spanSeconds >= sinkSeconds / 2,
            let middle = points.firstIndex(where: { last.time.seconds(since: $0.time) <= points.spanSeconds / 2 }),
            let early = points[...middle].netSpeeds, let late = points[middle...].netSpeeds
        else { return false }
        return early.vertical < sinkSpeed && late.vertical < sinkSpeed
    }

    private static func median(_ window: ArraySlice<TrackPoint>, around centre: Coordinate) -> Coordinate {
        let turns = window.map { ($0.coordinate.longitude - centre.longitude).remainder(dividingBy: 360) }
        return Coordinate(
            latitude: window.map(\.coordinate.latitude).median,
            longitude: (centre.longitude + turns.median).remainder(dividingBy: 360))
    }
}
