/// Watches a sonde that has landed. Motion alone means that somebody carries it; only a climb is a new flight, and only
/// a fall takes the landing back.
///
/// | observed | meaning |
/// | --- | --- |
/// | > 4 m/s over ground or > 3 m/s vertically, 5 windows in a row over ≥ 30 s | moved: somebody carries it |
/// | ≥ 300 m up over ≥ 60 s at ≥ 2 m/s (no car climbs so), ≥ 300 m above the landing | a new flight |
/// | ≥ 300 m below the landing, and the last minute fell at ≥ 2 m/s | it had not landed: nothing falls after that |
/// | the same at ≥ 0.3 m/s, if it has not stood still for a minute since the landing | it sinks in calm air |
/// | at rest for a minute ≥ 100 m away, never faster than 4 m/s, within 15 minutes | its parachute has dragged it there |
struct AfterLanding: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case none
        case moved
        /// The sonde has been climbing since this time.
        case newFlight(since: WallTime)
        /// The sonde falls below the place where it seemed to have landed.
        case revoked
    }

    private static let carriedHorizontal = 4.0
    private static let carriedVertical = 3.0
    private static let carriedUpdates = 5
    private static let carriedSeconds = 30.0
    private static let climbMetres = 300.0
    private static let climbSeconds = 60.0
    private static let climbPoints = 3
    /// A climb of 300 m must fit into this time, seconds: that is 2 m/s.
    private static let climbWindow = 150.0
    private static let fallMetres = 300.0
    private static let fallSpeed = -2.0
    private static let sinkSpeed = -0.3
    /// The noise of a GPS altitude over a minute, m/s.
    private static let standingSpeed = 0.15
    private static let fallWindow = 60.0
    /// If the window spans less, it includes older points, seconds.
    private static let fallLeastSeconds = 54.0

    /// A sonde that was dragged further after its touch-down has been dragged this far at least, metres.
    private static let draggedMetres = 100.0
    /// So long it rests there, seconds.
    private static let draggedRest = 60.0
    /// Within this distance it rests; somebody who walks slowly comes further in that time, metres.
    private static let draggedRestMetres = 30.0
    /// After this time somebody walks with it, seconds.
    private static let draggedWithin = 900.0

    private(set) var landing: TrackPoint
    let certainty: LandingTime
    /// Whether somebody has carried the sonde away. It never becomes false again.
    var hasMoved = false
    /// Whether the sonde has stood still for a minute. If it then sinks slowly, somebody carries it downhill.
    private var hasStood = false
    /// Its parachute has dragged it to ``landing`` after the touch-down.
    private(set) var isDragged = false
    /// Whether it has ever moved faster than a parachute drags.
    private var hasRaced = false
    private var rest = RestDetector()
    private var movingSince: WallTime?
    private var movingUpdates = 0

    init(landing: TrackPoint, _ certainty: LandingTime = .seen) {
        (self.landing, self.certainty) = (landing, certainty)
    }

    /// Call after each new point.
    mutating func follow(_ recent: RecentPoints) -> Outcome {
        guard let newest = recent.points.last else { return .none }
        if newest.altitudeMetres >= landing.altitudeMetres + Self.climbMetres, let start = climb(recent, to: newest) {
            return .newFlight(since: start)
        }
        let window = recent.window(seconds: Self.fallWindow, spanning: Self.fallLeastSeconds)
        if let first = window.first, first.time >= landing.time, window.spanSeconds >= Self.fallLeastSeconds,
            abs(window.netSpeeds?.vertical ?? 0) < Self.standingSpeed
        {
            hasStood = true
        }
        if isFalling(recent, window, to: newest) { return .revoked }
        let isCarried = carried(recent, newest)
        followDrag(recent, window, newest)
        return isCarried ? .moved : .none
    }

    /// Keeps the place to which an earlier pass has seen it dragged.
    mutating func keepDragged(to known: AfterLanding) {
        guard known.isDragged, !isDragged, known.landing.time == landing.time else { return }
        (landing, isDragged) = (known.landing, true)
    }

    private mutating func followDrag(_ recent: RecentPoints, _ minute: ArraySlice<TrackPoint>, _ newest: TrackPoint) {
        let place = rest.follow(recent, since: landing.time)
        guard let place, let before = minute.first, minute.spanSeconds >= Self.fallLeastSeconds, certainty != .unknown,
            !hasMoved, !hasRaced,
            newest.time.seconds(since: place.time) >= Self.draggedRest,
            newest.coordinate.distanceMetres(to: before.coordinate) <= Self.draggedRestMetres,
            place.time.seconds(since: landing.time) <= Self.draggedWithin,
            place.coordinate.distanceMetres(to: landing.coordinate) >= Self.draggedMetres
        else { return }
        (landing.coordinate, isDragged) = (place.coordinate, true)
    }

    private func isFalling(_ recent: RecentPoints, _ window: ArraySlice<TrackPoint>, to newest: TrackPoint) -> Bool {
        guard newest.time > landing.time, newest.altitudeMetres <= landing.altitudeMetres - Self.fallMetres,
            // A single wrong altitude is no fall, so the point before must be low, too.
            let before = recent.points.dropLast().last,
            before.altitudeMetres <= landing.altitudeMetres - Self.fallMetres / 2
        else { return false }
        let limit = hasStood || hasMoved ? Self.fallSpeed : Self.sinkSpeed
        return (window.netSpeeds?.vertical ?? 0) <= limit && newest.altitudeMetres < before.altitudeMetres
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
            // No car goes down this fast. Perhaps the sonde had not landed.
            speeds.vertical > Self.fallSpeed,
            // If nobody heard the sonde's flight, a climb may be its launch.
            certainty != .unknown || speeds.vertical < -Self.fallSpeed,
            speeds.horizontal > Self.carriedHorizontal || abs(speeds.vertical) > Self.carriedVertical
        else {
            (movingSince, movingUpdates) = (nil, 0)
            return false
        }
        hasRaced = true
        movingUpdates += 1
        let since = movingSince ?? newest.time
        movingSince = since
        guard !hasMoved, movingUpdates >= Self.carriedUpdates, newest.time.seconds(since: since) >= Self.carriedSeconds
        else { return false }
        hasMoved = true
        return true
    }
}
