/// Watches a sonde that has landed. Motion alone means that somebody carries it; only a climb is a new flight.
///
/// | observed | meaning |
/// | --- | --- |
/// | > 4 m/s over ground or > 3 m/s vertically, 5 windows in a row over ≥ 30 s | moved: somebody carries it |
/// | ≥ 300 m up over ≥ 60 s at ≥ 2 m/s (no car climbs so), ≥ 300 m above the landing | a new flight |
struct AfterLanding: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case none
        case moved
        /// The sonde has been climbing since this time.
        case newFlight(since: WallTime)
    }

    private static let carriedHorizontal = 4.0
    private static let carriedVertical = 3.0
    private static let carriedUpdates = 5
    private static let carriedSeconds = 30.0
    private static let climbMetres = 300.0
    private static let climbSeconds = 60.0
    private static let climbPoints = 3
    /// 300 m in this time, in seconds, are 2 m/s.
    private static let climbWindow = 150.0

    let landing: TrackPoint
    /// Somebody has carried the sonde away. Never becomes false again.
    var hasMoved = false
    private var movingSince: WallTime?
    private var movingUpdates = 0

    init(landing: TrackPoint) {
        self.landing = landing
    }

    /// Call after each new point.
    mutating func follow(_ recent: RecentPoints) -> Outcome {
        guard let newest = recent.points.last else { return .none }
        if newest.altitudeMetres >= landing.altitudeMetres + Self.climbMetres, let start = climb(recent, to: newest) {
            return .newFlight(since: start)
        }
        return carried(recent, newest) ? .moved : .none
    }

    private func climb(_ recent: RecentPoints, to newest: TrackPoint) -> WallTime? {
        let window = recent.window(seconds: Self.climbWindow)
        guard let low = window.dropLast(Self.climbPoints).min(by: { $0.altitudeMetres < $1.altitudeMetres }),
            low.time > landing.time, newest.altitudeMetres - low.altitudeMetres >= Self.climbMetres,
            newest.time.seconds(since: low.time) >= Self.climbSeconds,
            // A single wrong altitude is no climb, so the point before must be high, too.
            let before = window.dropLast().last, before.altitudeMetres - low.altitudeMetres >= Self.climbMetres / 2
        else { return nil }
        return low.time
    }

    private mutating func carried(_ recent: RecentPoints, _ newest: TrackPoint) -> Bool {
        guard let speeds = RestDetector.window(recent)?.netSpeeds,
            speeds.horizontal > Self.carriedHorizontal || abs(speeds.vertical) > Self.carriedVertical
        else {
            (movingSince, movingUpdates) = (nil, 0)
            return false
        }
        movingUpdates += 1
        let since = movingSince ?? newest.time
        movingSince = since
        guard !hasMoved, movingUpdates >= Self.carriedUpdates, newest.time.seconds(since: since) >= Self.carriedSeconds
        else { return false }
        hasMoved = true
        return true
    }
}
