import ReceiverProtocol

/// Judges a sonde that has come down unheard and is heard again, by its last prediction before the gap (specification
/// 3.4).
///
/// | heard again | verdict |
/// | --- | --- |
/// | falling by 100 m at ≥ 2 m/s | it flies on: it was later than predicted |
/// | at rest within twice the 90 % radius (at least 1 km) of the predicted landing point | it has landed there |
/// | elsewhere, for 10 s | somebody carries it, until it climbs as only a balloon does |
///
/// A finder's car that stops for three minutes is not the landing.
struct Blackout: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case undecided
        case fliesOn
        case landed(TrackPoint)
        case carried
        /// Another flight has begun at this time.
        case newFlight(since: WallTime)
    }

    /// A gap between two points must be longer than this, seconds.
    private static let leastSeconds = 1200.0
    /// No sonde lies on the ground above this altitude, metres.
    private static let highestMetres = 5000.0
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
    /// The points after the gap, of the last five minutes.
    private(set) var recent = RecentPoints()
    private var rest = RestDetector()
    private var afterwards: AfterLanding?

    var isCarried: Bool { afterwards != nil }

    /// - Parameter groundMetres: the altitude of the ground below, above sea level.
    /// - Returns: nil if the gap is too short, or if the sonde may still be in the air.
    init?(from last: TrackPoint, to first: TrackPoint, expected: LandingExpectation?, groundMetres: Double) {
        let height = max(0, last.altitudeMetres - groundMetres)
        let downAt = last.time.advanced(by: .seconds(clamping: height / Self.slowestFall))
        let expected = expected ?? LandingExpectation(last.coordinate, at: downAt, radius90: height)
        guard first.time.seconds(since: last.time) > Self.leastSeconds, first.time >= expected.at,
            first.altitudeMetres < Self.highestMetres
        else { return nil }
        (self.last, self.first, self.expected) = (last, first, expected)
    }

    /// The landing time of a sonde that lies where it was predicted: the predicted time, but not before the last point
    /// nor after the first point that was heard again.
    private var landingAt: WallTime { min(max(expected.at, last.time), first.time) }

    /// Call for each point after the gap, the first included.
    mutating func follow(_ point: TrackPoint) -> Outcome {
        recent.append(point)
        if afterwards != nil { return followCarried() }
        let fall = fall
        if fall >= Self.fallMetres { return .fliesOn }
        if fall > 0 { return .undecided }
        guard isExpected(point.coordinate) else {
            rest = RestDetector()
            guard point.time.seconds(since: first.time) >= Self.decisionSeconds else { return .undecided }
            afterwards = AfterLanding(landing: first)
            return .carried
        }
        guard var place = rest.follow(recent), isExpected(place.coordinate) else { return .undecided }
        place.time = landingAt
        return .landed(place)
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

    /// Corrects the times after the wall clock was set. The judgement starts again with the next point.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        last.time = last.time.clockSet(byMilliseconds: change, since: start)
        first.time = first.time.clockSet(byMilliseconds: change, since: start)
        (recent, rest) = (RecentPoints(), RestDetector())
        if isCarried { afterwards = AfterLanding(landing: first) }
    }
}
