/// What the points of one flight, taken in the order of their times, say about it: outliers, burst, fall, landing, winds.
///
/// The same code judges a flight point by point and a whole track in one linear pass.
struct FlightJudge: Equatable, Sendable {
    /// A climb above the lowest point that is no noise, metres.
    private static let climbMetres = 300.0
    /// A climb that tells a launch from a descent's noise, metres.
    private static let launchMetres = 100.0
    /// A first reception above this is no launch, metres.
    static let highestLaunchMetres = 2500.0
    /// So low above the lowest point nobody has let it go, metres.
    static let launchPadMetres = 20.0
    /// No ground is outside; such a configured one is none.
    private static let grounds = -500.0...9000.0
    /// An altitude that stands still for this long while the sonde moves is none, seconds.
    private static let frozenSeconds = 30.0

    private var filter = OutlierFilter()
    private(set) var recent = RecentPoints()
    /// How many points the filter let through.
    private(set) var accepted = 0
    private(set) var burst = BurstDetector()
    private(set) var fall = FallDetector()
    private(set) var rest = RestDetector()
    /// Nil until it has landed.
    private(set) var afterLanding: AfterLanding?
    /// When the landing was found: what comes later is no part of the flight.
    private(set) var landedAt: WallTime?
    private(set) var winds = WindProfile()
    private(set) var lowestMetres = Double.infinity
    /// It rose 300 m above the lowest point, and not for one bad altitude.
    private(set) var hasClimbed = false
    /// Since when the altitude has been the same to the last digit.
    private var sameAltitudeSince: WallTime?
    private var isAfterBreak = false

    /// It has come down from a height: the burst was seen, or a fall of 1000 m.
    var hasDescended: Bool { burst.burst != nil || fall.hasFallenFar }

    /// Where the descent began: the burst, or the top of the fall under way; nil while it doesn't descend.
    var descentBegan: TrackPoint? { burst.burst ?? fall.top }

    /// It is no more where it was launched, or was never heard there.
    var isLetGo: Bool {
        guard descentBegan == nil, let height = recent.points.last?.altitudeMetres else { return true }
        return height > lowestMetres + Self.launchPadMetres || height > Self.highestLaunchMetres
    }

    /// The receiver or the sonde repeats one altitude while the position goes on.
    var isAltitudeFrozen: Bool {
        guard let sameAltitudeSince, let newest = recent.points.last else { return false }
        return newest.time.seconds(since: sameAltitudeSince) >= Self.frozenSeconds
    }

    /// The lowest altitude before the top, if it climbed from there and that can be where it was launched.
    private var launchMetres: Double? {
        guard let low = burst.lowestBeforeHighest?.altitudeMetres, low <= Self.highestLaunchMetres,
            let high = burst.highest?.altitudeMetres, high - low >= Self.launchMetres
        else { return nil }
        return low
    }

    /// Metres above sea level of the ground below: never above the lowest point heard, nor above the newest one - 1 m.
    /// - Parameter configured: of the area; nil takes the launch's, and where nobody heard that, the sea's.
    func groundMetres(configured: Double?) -> Double {
        let height = recent.points.last.map { $0.altitudeMetres - 1 } ?? .infinity
        let area = configured.flatMap { Self.grounds.contains($0) ? $0 : nil }
        return min(area ?? launchMetres ?? 0, lowestMetres, height)
    }

    /// Takes the track's next point.
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

    /// Takes over a landing that an earlier pass over fewer points found.
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
