import ReceiverProtocol

/// Judges a sonde that has come down unheard and is heard again, by its last prediction before the silence and by how it
/// moves now, not by how long it was silent.
///
/// | heard again | verdict |
/// | --- | --- |
/// | falling by 100 m at ≥ 2 m/s, or it reports more than 3 m/s downwards | it flies on: it was later than predicted |
/// | > 300 m above the ground, and it reports that it rises or falls | it flies on |
/// | at rest within twice the 90 % radius (at least 1 km) of the predicted landing point | it has landed there |
/// | a single point there that reports no vertical speed, if nothing drove before | it has landed there |
/// | elsewhere, or driving, for 10 s | somebody carries it, until it climbs as only a balloon does |
///
/// A finder's car that stops for three minutes is not the landing, neither 3 minutes after the loss nor 3 hours.
struct Blackout: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case undecided
        case fliesOn
        case landed(TrackPoint)
        case carried
        /// Another flight has begun at this time.
        case newFlight(since: WallTime)
    }

    /// A fall that the sonde reports faster than this is no car's, m/s.
    private static let reportedFall = -3.0
    /// No sonde lies this much higher than the ground that is believed, metres.
    private static let highAboveGround = 300.0
    /// Faster over ground, it is driven, m/s.
    private static let drivenSpeed = 4.0
    private static let leastLimit = 1000.0
    private static let decisionSeconds = 10.0
    private static let fallSpeed = -2.0
    private static let fallMetres = 100.0
    private static let fallWindow = 60.0
    /// The slowest fall, m/s. Without a prediction the sonde must be down after a fall at this speed.
    private static let slowestFall = 1.8

    /// The last point before the gap, and the first after it.
    private(set) var last, first: TrackPoint
    private let expected: LandingExpectation
    private let groundMetres: Double
    /// It has driven since the gap, so a single point at rest shows a car that stops.
    private var hasDriven = false
    /// The points after the gap, of the last five minutes.
    private(set) var recent = RecentPoints()
    private var rest = RestDetector()
    private var afterwards: AfterLanding?

    var isCarried: Bool { afterwards != nil }

    /// - Parameter groundMetres: the altitude of the ground below, above sea level.
    /// - Returns: nil without a silence between the two points, or if the sonde may still be in the air.
    init?(from last: TrackPoint, to first: TrackPoint, expected: LandingExpectation?, groundMetres: Double) {
        let height = max(0, last.altitudeMetres - groundMetres)
        let downAt = last.time.advanced(by: .seconds(clamping: height / Self.slowestFall))
        let expected = expected ?? LandingExpectation(last.coordinate, at: downAt, radius90: height)
        guard Silence(after: first.time.duration(since: last.time)) >= .silent, first.time >= expected.at,
            first.altitudeMetres < Resting.highestMetres
        else { return nil }
        (self.last, self.first, self.expected, self.groundMetres) = (last, first, expected, groundMetres)
    }

    /// The landing time of a sonde that lies where it was predicted: the predicted time, but not before the last point
    /// nor after the first point that was heard again.
    private var landingAt: WallTime { min(max(expected.at, last.time), first.time) }

    /// Call for each point after the gap, the first included.
    mutating func follow(_ point: TrackPoint, _ reported: ReportedSpeeds) -> Outcome {
        recent.append(point)
        if afterwards != nil { return followCarried() }
        let fall = fall
        if fall >= Self.fallMetres || isInTheAir(point, reported) { return .fliesOn }
        if fall > 0 { return .undecided }
        let isDriving = isDriving(reported)
        hasDriven = hasDriven || isDriving
        guard isExpected(point.coordinate), !isDriving else {
            rest = RestDetector()
            guard point.time.seconds(since: first.time) >= Self.decisionSeconds else { return .undecided }
            afterwards = AfterLanding(landing: first)
            return .carried
        }
        let seen = isLying(reported) && !hasDriven ? point : rest.follow(recent)
        guard var place = seen, isExpected(place.coordinate) else { return .undecided }
        place.time = landingAt
        return .landed(place)
    }

    private func isInTheAir(_ point: TrackPoint, _ reported: ReportedSpeeds) -> Bool {
        guard let vertical = reported.vertical else { return false }
        return vertical < Self.reportedFall
            || point.altitudeMetres > groundMetres + Self.highAboveGround && !Resting.isLevel(vertical)
    }

    /// Whether it goes over level ground: as it reports, or by its last points.
    private func isDriving(_ reported: ReportedSpeeds) -> Bool {
        if let horizontal = reported.horizontal, let vertical = reported.vertical {
            return horizontal > Self.drivenSpeed && Resting.isLevel(vertical)
        }
        let window = recent.window(seconds: Self.decisionSeconds)
        guard window.spanSeconds >= Self.decisionSeconds / 2, let speeds = window.netSpeeds else { return false }
        return speeds.horizontal > Self.drivenSpeed && Resting.isLevel(speeds.vertical)
    }

    private func isLying(_ reported: ReportedSpeeds) -> Bool {
        guard let horizontal = reported.horizontal, let vertical = reported.vertical else { return false }
        return horizontal <= Self.drivenSpeed && Resting.isLevel(vertical)
    }

    private mutating func followCarried() -> Outcome {
        guard case .newFlight(let start)? = afterwards?.follow(recent) else { return .undecided }
        return .newFlight(since: start)
    }

    /// How far the sonde has fallen within a minute, metres; 0 if it falls more slowly than sondes do.
    private var fall: Double {
        let window = recent.window(seconds: Self.fallWindow, spanning: Self.decisionSeconds)
        guard window.spanSeconds >= Self.decisionSeconds, let speeds = window.netSpeeds, let newest = window.last,
            speeds.vertical <= Self.fallSpeed
        else { return 0 }
        return (window.map(\.altitudeMetres).max() ?? newest.altitudeMetres) - newest.altitudeMetres
    }

    private func isExpected(_ place: Coordinate) -> Bool {
        place.distanceMetres(to: expected.coordinate) <= max(Self.leastLimit, 2 * expected.radius90)
    }

    /// The judgement begun again, with other times of the points around the gap. Somebody still carries the sonde.
    func begunAgain(from last: TrackPoint, to first: TrackPoint) -> Blackout {
        var again = self
        (again.last, again.first) = (last, first)
        (again.recent, again.rest, again.hasDriven) = (RecentPoints(), RestDetector(), false)
        if isCarried { again.afterwards = AfterLanding(landing: first) }
        return again
    }
}
