/// Judges one flight by its points in the order of their times: outliers, burst, fall, landing, winds.
///
/// The same code judges a live flight point by point, and a whole track in one linear pass.
struct FlightJudge: Equatable, Sendable {
    /// A climb of this much above the lowest point is more than noise, metres.
    private static let climbMetres = 300.0
    /// A climb of this much is a launch, not the noise of a descent, metres.
    private static let launchMetres = 100.0
    /// Above this altitude the first point is no launch, metres.
    static let highestLaunchMetres = 2500.0
    /// Below this height above the lowest point the balloon has not been launched, metres.
    static let launchPadMetres = 20.0
    /// Plausible ground altitudes, metres. A configured one outside is ignored.
    private static let grounds = -500.0...9000.0
    /// An altitude that does not change for this long while the sonde moves is wrong, seconds.
    private static let frozenSeconds = 30.0

    private var filter = OutlierFilter()
    private(set) var recent = RecentPoints()
    /// The number of points that the outlier filter accepted.
    private(set) var accepted = 0
    private(set) var burst = BurstDetector()
    private(set) var fall = FallDetector()
    private(set) var rest = RestDetector()
    /// Nil before the landing.
    private(set) var afterLanding: AfterLanding?
    /// When the landing was detected. Later points are not part of the flight.
    private(set) var landedAt: WallTime?
    private(set) var winds = WindProfile()
    private(set) var lowestMetres = Double.infinity
    /// Two points in a row were 300 m above the lowest point. One could be a wrong altitude.
    private(set) var hasClimbed = false
    /// Since when the altitude has not changed by a single digit; nil if it has.
    private var sameAltitudeSince: WallTime?
    private var isAfterBreak = false

    /// The sonde has come down from a height: a burst or a fall of 1000 m was detected.
    var hasDescended: Bool { burst.burst != nil || fall.hasFallenFar }

    /// Where the descent began: the burst, or the top of the present fall; nil while the sonde doesn't descend.
    var descentBegan: TrackPoint? { burst.burst ?? fall.top }

    /// The balloon has left the launch pad, or was never heard there.
    var isLetGo: Bool {
        guard descentBegan == nil, let height = recent.points.last?.altitudeMetres else { return true }
        return height > lowestMetres + Self.launchPadMetres || height > Self.highestLaunchMetres
    }

    /// The receiver or the sonde repeats one altitude while the position changes.
    var isAltitudeFrozen: Bool {
        guard let sameAltitudeSince, let newest = recent.points.last else { return false }
        return newest.time.seconds(since: sameAltitudeSince) >= Self.frozenSeconds
    }

    /// The lowest altitude before the top; nil if the balloon did not climb from there, or if it is too high for a
    /// launch.
    private var launchMetres: Double? {
        guard let low = burst.lowestBeforeHighest?.altitudeMetres, low <= Self.highestLaunchMetres,
            let high = burst.highest?.altitudeMetres, high - low >= Self.launchMetres
        else { return nil }
        return low
    }

    /// The altitude of the ground below, metres above sea level. It is never above the lowest point heard, and at least
    /// 1 m below the newest point.
    /// - Parameter configured: the area's ground. Nil uses the launch's altitude, or sea level if nobody heard the
    ///   launch.
    func groundMetres(configured: Double?) -> Double {
        let height = recent.points.last.map { $0.altitudeMetres - 1 } ?? .infinity
        let area = configured.flatMap { Self.grounds.contains($0) ? $0 : nil }
        return min(area ?? launchMetres ?? 0, lowestMetres, height)
    }

    /// Judges the track's next point.
    mutating func add(_ point: TrackPoint, _ changes: inout [Flight.Change]) {
        switch filter.judge(point) {
        case .setAside: break
        case .accepted: accept(point, &changes)
        case .recovered(let points, let isRestart):
            if isRestart { self = FlightJudge(filter: filter, accepted: accepted) }
            isAfterBreak = true
            for point in points { accept(point, &changes) }
        }
    }

    init() {}

    private init(filter: OutlierFilter, accepted: Int) {
        self.filter = filter
        self.accepted = accepted
    }

    private mutating func accept(_ point: TrackPoint, _ changes: inout [Flight.Change]) {
        accepted += 1
        let previous = recent.points.last
        recent.append(point)
        if afterLanding != nil { return follow(landed: point, &changes) }
        observeAltitude(point, after: previous)
        if let previous, !isAfterBreak { winds.add(from: previous, to: point, isAscent: burst.burst == nil) }
        isAfterBreak = false
        switch burst.add(point) {
        case .none: break
        case .burst(let top): changes.append(.burst(top))
        case .revoked(let top): changes.append(.burstRevoked(top))
        }
        fall.follow(recent)
        guard let place = rest.follow(recent), hasDescended else { return }
        land(at: place, foundAt: point.time)
        changes.append(.landed(place))
    }

    /// Keeps a landing that an earlier pass over fewer points found.
    mutating func land(at place: TrackPoint, foundAt time: WallTime, hasMoved: Bool = false) {
        afterLanding = AfterLanding(landing: place)
        afterLanding?.hasMoved = hasMoved
        landedAt = time
    }

    mutating func keep(burst point: TrackPoint) { burst.keep(point) }

    mutating func setMoved() { afterLanding?.hasMoved = true }

    private mutating func observeAltitude(_ point: TrackPoint, after previous: TrackPoint?) {
        lowestMetres = min(lowestMetres, point.altitudeMetres)
        guard let previous else { return }
        if !hasClimbed {
            hasClimbed = min(point.altitudeMetres, previous.altitudeMetres) - lowestMetres >= Self.climbMetres
        }
        if point.altitudeMetres != previous.altitudeMetres {
            sameAltitudeSince = nil
        } else if sameAltitudeSince == nil {
            sameAltitudeSince = previous.time
        }
    }

    private mutating func follow(landed point: TrackPoint, _ changes: inout [Flight.Change]) {
        switch afterLanding?.follow(recent) {
        case nil, .some(.none): break
        case .moved: changes.append(.moved(point))
        case .newFlight(let start):
            let climb = recent.points.filter { $0.time >= start }
            self = FlightJudge(filter: filter, accepted: accepted - climb.count)
            if let first = climb.first { changes.append(.newFlight(first)) }
            for point in climb { accept(point, &changes) }
        }
    }
}
