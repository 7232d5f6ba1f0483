/// Judges one flight by its points in the order of their times: outliers, burst, fall, landing, winds.
///
/// The same code judges a live flight point by point, and a whole track in one linear pass.
struct FlightJudge: Equatable, Sendable {
    /// A climb of this much above the lowest point is more than noise, metres.
    private static let climbMetres = 300.0
    /// A climb of this much is a launch, not the noise of a descent, metres.
    private static let launchMetres = 100.0
    /// An altitude that does not change for this long while the sonde moves is wrong, seconds.
    private static let frozenSeconds = 30.0
    /// A sonde of which at most the end of its fall was heard has landed only after it has rested for this long,
    /// seconds.
    private static let restSeconds = 60.0
    /// The same where no launch site is known.
    private static let longRestSeconds = 300.0
    /// Such a sonde has not landed if it rests within this distance of a place where sondes start, metres.
    private static let launchSiteMetres = 2000.0

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
    /// The judgement of a sonde that was heard again after it must have come down unheard; nil before that, and once
    /// the sonde is seen to lie or to fly.
    private(set) var blackout: Blackout?
    private(set) var winds = WindProfile()
    /// The descent rate that was measured before the last gap of this descent.
    private(set) var rateBeforeGap: DescentRate?
    private(set) var lowestMetres = Double.infinity
    private(set) var pad = LaunchPad()
    /// Two points in a row were 300 m above the lowest point. A single one could be a wrong altitude.
    private(set) var hasClimbed = false
    /// The last silence during the descent that was too long to see the touch-down; nil without one.
    private var descentSilence: DescentSilence?
    /// Since when the altitude has not changed by a single digit; nil if it has.
    private var sameAltitudeSince: WallTime?
    private var isAfterBreak = false
    /// How often the points continued at a place that the sonde can't have reached.
    private(set) var leaps = 0
    /// The conclusions from before a leap; at most one element. They count again if the points come back: a receiver
    /// may be jammed, or an uploader wrong, for minutes.
    private var home: [FlightJudge] = []
    private var excursions: [Excursion] = []
    /// A leap that has lasted for this long is the truth, seconds.
    private static let longestExcursion = 1800.0

    /// The points between these two times lay elsewhere.
    struct Excursion: Equatable, Sendable {
        var after, before: WallTime
    }

    /// The newest points lie where the sonde can't have flown to.
    var isElsewhere: Bool { !home.isEmpty }

    /// The burst, also if it was before a leap.
    var knownBurst: TrackPoint? { burst.burst ?? home.first?.burst.burst }

    /// The sonde has come down from a height: a burst or a fall of 1000 m was detected.
    var hasDescended: Bool { burst.burst != nil || fall.hasFallenFar }

    /// It has climbed or fallen further than noise explains.
    var hasFlown: Bool { hasDescended || hasClimbed || fall.top != nil }

    /// Somebody has carried the sonde away from its landing place, whether the landing was seen or not.
    var hasMoved: Bool { afterLanding?.hasMoved ?? blackout?.isCarried ?? false }

    /// Where the descent began: the burst, or the top of the present fall; nil while the sonde doesn't descend.
    var descentBegan: TrackPoint? { burst.burst ?? fall.top }

    /// The balloon has left the launch pad, or was never heard there.
    var isLetGo: Bool {
        descentBegan != nil || pad.isLeft || recent.points.isEmpty
    }

    /// The receiver or the sonde repeats one altitude while the position changes.
    var isAltitudeFrozen: Bool {
        guard let sameAltitudeSince, let newest = recent.points.last else { return false }
        return newest.time.seconds(since: sameAltitudeSince) >= Self.frozenSeconds
    }

    /// The lowest altitude before the top; nil if the balloon did not climb from there, or if it is too high for a
    /// launch.
    private var launchMetres: Double? {
        guard let low = burst.lowestBeforeHighest, low.mayBeLaunch, let high = burst.highest,
            high.altitudeMetres - low.altitudeMetres >= Self.launchMetres
        else { return nil }
        return low.altitudeMetres
    }

    /// The ground below. The end of a forecast and terrain count as they are; other known altitudes are never above the
    /// lowest point heard before the descent.
    /// - Parameter known: nil uses the launch's altitude, or sea level if nobody heard the launch.
    func ground(known: Ground?) -> Ground {
        let height = recent.points.last?.altitudeMetres ?? .infinity
        if var known, Ground.plausible.contains(known.metres) {
            let isOfLanding = known.origin == .terrain || known.origin == .forecast
            if !isOfLanding { known.metres = min(known.metres, lowestBeforeDescent) }
            return known.below(height)
        }
        let isLaunch = pad.hasBegunOnGround == true && launchMetres != nil
        return Ground(metres: min(launchMetres ?? 0, lowestBeforeDescent), origin: isLaunch ? .launch : .lowest)
            .below(height)
    }

    private var lowestBeforeDescent: Double {
        descentBegan == nil ? lowestMetres : burst.lowestBeforeHighest?.altitudeMetres ?? lowestMetres
    }

    /// Judges the track's next point.
    mutating func add(
        _ point: TrackPoint, knowing surroundings: FlightSurroundings = FlightSurroundings(),
        _ changes: inout [Flight.Change]
    ) {
        switch filter.judge(point) {
        case .setAside: break
        case .accepted: accept(point, in: surroundings, &changes)
        case .replacesLate:
            // The motion is computed anew, without the late point.
            leaps += 1
            isAfterBreak = true
            if afterLanding == nil, blackout == nil { recent.dropNewest() }
            accept(point, in: surroundings, &changes)
        case .recovered(let points, let isRestart):
            let count = leaps + 1
            if isRestart { self = FlightJudge(filter: filter, accepted: accepted) } else { leap(to: points.first) }
            (leaps, isAfterBreak) = (count, true)
            for point in points { accept(point, in: surroundings, &changes) }
        }
    }

    /// Whether the newest point had arrived late, as this one of the same second shows.
    func showsLate(_ point: TrackPoint) -> Bool { filter.showsLate(point) }

    init() {}

    /// Sets the earlier conclusions aside until the points come back. No sonde falls or climbs as far as this leap.
    private mutating func leap(to first: TrackPoint?) {
        guard let first, blackout == nil else { return }
        guard afterLanding == nil else {
            // The GPS of a landed sonde can lose its fix and report 36 km. No climb leads there.
            recent = RecentPoints()
            return
        }
        if var back = home.first, let last = back.recent.points.last, OutlierFilter.agree(last, with: first) {
            (back.filter, back.accepted) = (filter, accepted)
            back.excursions.append(Excursion(after: last.time, before: first.time))
            self = back
        } else {
            let left = home.first ?? self
            self = FlightJudge(filter: filter, accepted: accepted)
            home = [left]
        }
    }

    /// Returns the excursions that have ended since the last call.
    mutating func takeExcursions() -> [Excursion] {
        defer { excursions = [] }
        return excursions
    }

    private mutating func settleElsewhere(at time: WallTime) {
        guard let left = home.first?.recent.points.last else { return }
        if hasDescended || hasClimbed || time.seconds(since: left.time) > Self.longestExcursion { home = [] }
    }

    private init(filter: OutlierFilter, accepted: Int) {
        self.filter = filter
        self.accepted = accepted
    }

    private mutating func accept(
        _ point: TrackPoint, in surroundings: FlightSurroundings, _ changes: inout [Flight.Change]
    ) {
        let previous = recent.points.last
        if blackout == nil, afterLanding == nil, hasDescended, let previous {
            blackout = Blackout(
                from: previous, to: point, expected: surroundings.expectation,
                groundMetres: ground(known: surroundings.ground).metres)
        }
        if blackout != nil { return follow(heardAgain: point, surroundings, &changes) }
        if hasDescended, let previous {
            descentSilence =
                DescentSilence(from: previous, to: point, expected: surroundings.expectation) ?? descentSilence
        }
        accepted += 1
        if let previous, point.time.seconds(since: previous.time) > DescentSlope.windowSeconds, descentBegan != nil {
            rateBeforeGap = DescentSlope.rate(recent, burst: burst.burst) ?? rateBeforeGap
        }
        recent.append(point)
        if afterLanding != nil { return follow(landed: point, surroundings, &changes) }
        observeAltitude(point, after: previous)
        if let previous, !isAfterBreak { winds.add(from: previous, to: point, isAscent: burst.burst == nil) }
        isAfterBreak = false
        switch burst.add(point) {
        case .none: break
        case .burst(let top): changes.append(.burst(top))
        case .revoked(let top): changes.append(.burstRevoked(top))
        }
        fall.follow(recent)
        settleElsewhere(at: point.time)
        if descentBegan == nil { rateBeforeGap = nil }
        guard let place = rest.follow(recent, since: descentBegan?.time), !surroundings.isInTheAir(place) else {
            return
        }
        if hasDescended {
            let timed = descentSilence?.landing(at: place)
            land(at: timed ?? place, timed == nil ? .seen : .estimated, foundAt: point.time)
            changes.append(.landed(timed ?? place))
        } else if isFirstHeardNearTheGround(place, until: point.time, surroundings) {
            land(at: place, .seen, foundAt: point.time)
            changes.append(.landed(place))
        } else if isFirstHeardAtRest(place, until: point.time, surroundings) {
            land(at: place, .unknown, foundAt: point.time)
            changes.append(.heardOnGround(place))
        }
    }

    /// Whether only the end of the fall was heard, and the sonde rests where sondes don't start.
    private func isFirstHeardNearTheGround(
        _ place: TrackPoint, until time: WallTime, _ surroundings: FlightSurroundings
    ) -> Bool {
        fall.hasFallen && !hasClimbed && time.seconds(since: place.time) >= Self.restSeconds
            && !Self.isLaunchSite(place.coordinate, surroundings.launchSites ?? [])
    }

    /// Whether the sonde was first heard at rest, at a place where sondes don't start. Without a known launch site it must
    /// rest for longer, because it may stand on an unknown one.
    private func isFirstHeardAtRest(
        _ place: TrackPoint, until time: WallTime, _ surroundings: FlightSurroundings
    ) -> Bool {
        guard !hasFlown, !isElsewhere, place.source == .ble, let sites = surroundings.launchSites else { return false }
        let seconds = time.seconds(since: place.time)
        if surroundings.hasLandedBefore { return seconds >= Self.restSeconds }
        guard !sites.isEmpty else { return seconds >= Self.longRestSeconds }
        return seconds >= Self.restSeconds && !Self.isLaunchSite(place.coordinate, sites)
    }

    static func isLaunchSite(_ place: Coordinate, _ sites: [Coordinate]) -> Bool {
        sites.contains { $0.distanceMetres(to: place) <= launchSiteMetres }
    }

    /// Notes a landing that was just found, or that an earlier pass over fewer points found.
    mutating func land(at place: TrackPoint, _ certainty: LandingTime, foundAt time: WallTime) {
        afterLanding = AfterLanding(landing: place, certainty)
        (landedAt, blackout) = (time, nil)
    }

    mutating func takeLandingBack() { (afterLanding, landedAt, rest) = (nil, nil, RestDetector()) }

    /// Keeps an earlier pass's judgement of a sonde that is heard again.
    mutating func keep(carried known: Blackout) { blackout = known }

    private mutating func follow(
        heardAgain point: TrackPoint, _ surroundings: FlightSurroundings, _ changes: inout [Flight.Change]
    ) {
        switch blackout?.follow(point, surroundings.reported) {
        case nil, .undecided: break
        case .carried: changes.append(.moved(point))
        case .landed(let place):
            land(at: place, .estimated, foundAt: point.time)
            changes.append(.landed(place))
        case .fliesOn:
            let heard = blackout?.recent.points ?? []
            blackout = nil
            isAfterBreak = true
            acceptAll(heard, in: surroundings, &changes)
        case .newFlight(let start):
            let climb = blackout?.recent.points.filter { $0.time >= start } ?? []
            self = FlightJudge(filter: filter, accepted: accepted)
            begin(with: climb, in: surroundings, &changes)
        }
    }

    /// Accepts points that were held back. The first may come long after the last accepted one.
    private mutating func acceptAll(
        _ points: some Sequence<TrackPoint>, in surroundings: FlightSurroundings, _ changes: inout [Flight.Change]
    ) {
        var surroundings = surroundings
        // These points belong to a flying sonde. With a landing that is expected never, no new blackout begins.
        let never = WallTime(millisecondsSince1970: .max)
        surroundings.expectation = points.first { _ in true }.map {
            LandingExpectation($0.coordinate, at: never, radius90: 0)
        }
        for point in points { accept(point, in: surroundings, &changes) }
    }

    private mutating func begin(
        with climb: [TrackPoint], in surroundings: FlightSurroundings, _ changes: inout [Flight.Change]
    ) {
        if let first = climb.first { changes.append(.newFlight(first)) }
        var surroundings = surroundings
        // The sonde stood before it climbed, and that was no landing.
        surroundings.launchSites = nil
        for point in climb { accept(point, in: surroundings, &changes) }
    }

    mutating func keep(burst point: TrackPoint) { burst.keep(point) }

    mutating func keep(dragged known: AfterLanding) { afterLanding?.keepDragged(to: known) }

    mutating func setMoved() { afterLanding?.hasMoved = true }

    private mutating func observeAltitude(_ point: TrackPoint, after previous: TrackPoint?) {
        lowestMetres = min(lowestMetres, point.altitudeMetres)
        pad.follow(point)
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

    private mutating func follow(
        landed point: TrackPoint, _ surroundings: FlightSurroundings, _ changes: inout [Flight.Change]
    ) {
        switch afterLanding?.follow(recent) {
        case nil, .some(.none): break
        case .moved: changes.append(.moved(point))
        case .revoked:
            if let landing = afterLanding?.landing { changes.append(.landingRevoked(point, landing: landing)) }
            takeLandingBack()
        case .newFlight(let start):
            let climb = recent.points.filter { $0.time >= start }
            self = FlightJudge(filter: filter, accepted: accepted - climb.count)
            begin(with: climb, in: surroundings, &changes)
        }
    }
}
