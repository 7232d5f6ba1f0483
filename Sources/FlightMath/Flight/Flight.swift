import ReceiverProtocol

/// The known part of one sonde's flight: track, motion, phase, burst, landing.
///
/// | phase and reason (the first row that applies) | condition |
/// | --- | --- |
/// | `landed`, `vector_test` | at rest after a flight, or after the end of one, until it climbs or falls |
/// | `landed`, `heard_on_ground` | first heard at rest, away from launch sites, until it climbs or falls |
/// | `landed`, `sondehub_silent` | silent (``Silence``) in its descent, and a minute past its predicted landing (``silentLandingAt(predicted:)``) |
/// | `unknown`, `on_ground` | at rest, and it has not flown |
/// | `ascending` | smoothed vertical speed > 0 |
/// | `descending…` | smoothed vertical speed < 0; the reason is `silent_in_flight` while it is not heard |
/// | `unknown` | otherwise |
public struct Flight: Equatable, Sendable {
    /// The conclusion from silence, while no source hears the sonde.
    private enum SilenceVerdict: Equatable, Sendable {
        case none
        /// Nobody has heard it for a while, but it is not yet known to be down.
        case inFlight
        case landed
    }

    /// After a gap is filled, the motion is computed again from this much of the track, seconds.
    private static let replaySeconds = 180.0
    /// A sonde that is heard again at this height above the ground had not landed, metres.
    private static let clearlyAboveGround = 300.0
    /// A silent sonde counts as landed this long after its predicted landing. A sonde that was low is not down yet: on
    /// real flights that are cut at 1500 m such a guess came up to seven minutes early.
    private static let silentLandingDelay = Duration.seconds(60)
    /// Without a prediction a silent sonde counts as landed this long after its last point, or later if its fall to the
    /// ground takes longer.
    private static let unpredictedDelay = Duration.seconds(300)
    /// The descent rate near the ground if the sonde's own was not measured, m/s. Most sondes fall faster.
    private static let slowFall = 5.0

    public private(set) var track = Track()
    private(set) var motionFilter = MotionFilter()
    /// The ground in this area; nil uses the launch's altitude.
    public var knownGround: Ground?
    /// The conclusions from all points so far.
    private(set) var judge = FlightJudge()
    private var surroundings = FlightSurroundings()
    private var silenceVerdict = SilenceVerdict.none
    /// The points that are left out of the track: those after one time, up to another.
    private struct LeftOut: Equatable, Sendable {
        var after, upTo: WallTime

        func contains(_ point: TrackPoint) -> Bool {
            point.second > after.wholeSeconds && point.second <= upTo.wholeSeconds
        }

        mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
            (after, upTo) = (replacement(after), replacement(upTo))
        }
    }

    private var leftOut: LeftOut?
    /// The newest of all points. The track itself may end earlier, at the landing.
    public private(set) var newest: TrackPoint?

    public init() {}

    /// The balloon's highest point, once the burst is detected. A later point can revoke it.
    public var burst: TrackPoint? { judge.knownBurst }

    /// The highest plausible point.
    public var highest: TrackPoint? { judge.burst.highest }

    /// The smoothed motion, computed from the track; at rest after the landing.
    public var motion: Motion? { phase.phase == .landed ? .atRest : motionFilter.smoothed }

    /// The newest point that the outlier filter accepted. Predictions begin there.
    public var newestTrusted: TrackPoint? { judge.recent.points.last ?? newest }

    /// Where the sonde was last seen: the newest plausible point, also after a gap in which it came down unheard.
    public var lastSeen: TrackPoint? { judge.blackout?.recent.points.last ?? newestTrusted }

    /// The unfiltered motion between the last two points; nil if they are too far apart in time.
    public var rawMotion: Motion? { motionFilter.raw }

    /// The descent rate, m/s, negative; 0 after the landing; nil while the sonde doesn't descend.
    public var adjustedDescentRate: Double? { phase.phase == .landed ? 0 : motionFilter.adjustedDescentRate }

    /// Where the sonde came to rest, and since when; nil in flight, and after a landing that was concluded from
    /// silence.
    public var landingPlace: TrackPoint? { judge.afterLanding?.landing }

    /// How the time of ``landingPlace`` is known; nil without one.
    public var landingTime: LandingTime? { judge.afterLanding?.certainty }

    /// The sonde has landed and somebody has carried it away.
    public var hasMoved: Bool { judge.hasMoved }

    /// The time of the track's first point; nil if the sonde was never seen in the air.
    public var seenInAirFrom: WallTime? { judge.hasFlown ? track.points.first?.time : nil }

    /// The sonde has come down from a height: the balloon burst, or the sonde fell 1000 m.
    public var hasDescended: Bool { judge.hasDescended }

    /// The balloon burst, or the sonde falls without a break.
    public var hasDescentBegun: Bool { judge.descentBegan != nil }

    /// The newest points lie where the sonde can't have flown to. Nothing is predicted from there.
    public var isElsewhere: Bool { judge.isElsewhere }

    /// The balloon has left the launch pad, or was never heard there.
    public var isLetGo: Bool { judge.isLetGo }

    /// When the balloon was let go; nil before, and if the launch was not heard.
    public var launchedAt: WallTime? { judge.pad.metres == nil ? nil : judge.pad.climbBegan }

    /// The height of the newest point above the launch pad, metres; nil if the balloon was never heard there, or is there.
    public var metresAbovePad: Double? {
        judge.pad.metres.flatMap { pad in judge.recent.points.last.map { $0.altitudeMetres - pad } }
    }

    /// The number of layers of 250 m whose wind the flight has measured.
    public var windLayers: Int { judge.winds.winds.layers.count }

    /// The highest altitude whose wind the flight has measured, metres above sea level; nil if it has none.
    public var windTopMetres: Double? { judge.winds.winds.topMetres }

    /// The ground below the sonde, as well as it is known.
    public var ground: Ground { judge.ground(known: knownGround) }

    /// The altitude of ``ground``, metres above sea level.
    public var groundMetres: Double { ground.metres }

    /// The phase by the table above.
    public var phase: PhaseVerdict {
        if let certainty = landingTime {
            return PhaseVerdict(.landed, certainty == .unknown ? .heardOnGround : .vectorTest)
        }
        if silenceVerdict == .landed { return PhaseVerdict(.landed, .sondeHubSilent) }
        if judge.rest.isSupporting, !judge.hasDescended, !judge.hasClimbed { return PhaseVerdict(.unknown, .onGround) }
        guard let vertical = motionFilter.smoothed?.verticalSpeed, let newest = judge.recent.points.last, vertical != 0
        else { return PhaseVerdict(.unknown, nil) }
        if vertical > 0 { return PhaseVerdict(.ascending, .verticalSpeed) }
        return PhaseVerdict(
            .descending(atMetres: newest.altitudeMetres), silenceVerdict == .none ? .verticalSpeed : .silentInFlight)
    }

    /// Inserts a point. One that is not the newest only fills the track.
    /// - Parameter reported: the speeds that the sonde reports there.
    /// - Returns: whether the point was inserted, and the changes that it caused.
    public mutating func insert(
        _ point: TrackPoint, reported: ReportedSpeeds = ReportedSpeeds()
    ) -> (isTaken: Bool, changes: [Change]) {
        if let newest, point.second <= newest.second {
            guard !isLeftOut(point) else { return (false, []) }
            guard point.second == newest.second, track.newest == newest, judge.showsLate(point) else {
                return (track.insert(point) == .between, [])
            }
            track.removeNewest()
        }
        if judge.blackout?.isCarried != true { track.insert(point) }
        newest = point
        var changes: [Change] = []
        observe(point, reported, &changes)
        cutExcursions(&changes)
        if changes.contains(where: \.isNewFlight) {
            silenceVerdict = .none
            track.insert(contentsOf: Array(judge.recent.points))
            truncate(&changes)
        } else if judge.blackout?.isCarried == true {
            truncate(&changes)
        }
        // The points that were left out after that landing belong to the flight. A gap fill brings them again.
        if changes.contains(where: \.isLandingRevoked) { leftOut = nil }
        return (true, changes)
    }

    /// Inserts the points of a gap, in any order, and judges the whole flight again.
    /// - Returns: how many points were inserted, and the changes that they caused.
    public mutating func insert(contentsOf points: [TrackPoint]) -> (taken: Int, changes: [Change]) {
        let taken = track.insert(contentsOf: leftOut == nil ? points : points.filter { !isLeftOut($0) })
        guard taken > 0 else { return (0, []) }
        return (taken, judgeAnew())
    }

    /// Judges the whole track again in one pass, for example after a gap was filled.
    /// - Returns: the differences from the earlier conclusions.
    public mutating func judgeAnew() -> [Change] {
        let before = judge
        var seen: [Change] = []
        judge = FlightJudge()
        surroundings.ground = knownGround
        for point in track.points { judge.add(point, knowing: surroundings, &seen) }
        if let last = track.newest, last.second > newest?.second ?? .min { newest = last }
        motionFilter = MotionFilter(judge.recent.window(seconds: Self.replaySeconds))
        var changes = seen.filter(\.isNewFlight)
        cutExcursions(&changes)
        var known = changes.isEmpty ? before : FlightJudge()
        if let landing = known.afterLanding?.landing, let fall = fall(below: landing) {
            known.takeLandingBack()
            leftOut = nil
            changes.append(.landingRevoked(fall, landing: landing))
        }
        if changes.allSatisfy({ !$0.isNewFlight }) { keep(known) }
        if let burst, known.burst.burst == nil { changes.append(.burst(burst)) }
        if burst == nil, let revoked = known.burst.burst { changes.append(.burstRevoked(revoked)) }
        if let landingPlace, known.afterLanding == nil {
            changes.append(landingTime == .unknown ? .heardOnGround(landingPlace) : .landed(landingPlace))
        }
        if hasMoved, !known.hasMoved, let newest { changes.append(.moved(newest)) }
        truncate(&changes)
        return changes
    }

    /// Draws the conclusions from silence, and from its end.
    ///
    /// - Parameters:
    ///   - time: for how long no source has heard the sonde.
    ///   - withoutPlace: for how long no source has heard its place: a sonde under trees is heard, and says none. Nil
    ///     means `time`.
    ///   - predictedLandingAt: the landing time of the last prediction; nil without one.
    public mutating func concludeFromSilence(
        of time: Duration, withoutPlace: Duration? = nil, predictedLandingAt: WallTime?, at now: WallTime
    ) -> [Change] {
        guard judge.blackout == nil else {
            silenceVerdict = .landed
            return []
        }
        let (wasDown, silence) = (silenceVerdict == .landed, Silence(after: withoutPlace ?? time))
        if wasDown, silence >= .silent { return [] }
        silenceVerdict = Silence(after: time) >= .unheard ? .inFlight : .none
        if wasDown { return landingPlace == nil ? [.heardAgain] : [] }
        guard silence >= .silent, let last = judge.recent.points.last,
            let downAt = silentLandingAt(predicted: predictedLandingAt), now >= downAt
        else { return [] }
        silenceVerdict = .landed
        return [.landedInSilence(last)]
    }

    /// The time from which a silent sonde counts as landed; nil if it has not descended or was seen to land.
    /// - Parameter predicted: the landing time of the last prediction; nil without one.
    public func silentLandingAt(predicted: WallTime?) -> WallTime? {
        guard judge.hasDescended, judge.afterLanding == nil, let last = judge.recent.points.last else { return nil }
        if let predicted { return predicted.advanced(by: Self.silentLandingDelay) }
        let measured = motionFilter.adjustedDescentRate.map { -$0 * Atmosphere.densityRoot(at: last.altitudeMetres) }
        let rate = max(1, measured ?? Self.slowFall)
        let fall = (last.altitudeMetres - groundMetres) / rate
        return last.time.advanced(by: max(Self.unpredictedDelay, .seconds(clamping: fall)))
    }

    /// Call if an earlier run of the gateway already announced a landing from silence after these points.
    public mutating func stayDownInSilence() {
        if landingPlace == nil { silenceVerdict = .landed }
    }

    /// Whether the sonde can't have come to a point at its time, but could have if the point were this much later: it has flown
    /// on while nobody counted the time.
    public func hasFlownOn(to point: TrackPoint, by time: Duration) -> Bool {
        guard let last = newestTrusted else { return false }
        var later = point
        later.time = later.time.advanced(by: time)
        return !OutlierFilter.agree(last, with: point) && OutlierFilter.agree(last, with: later)
    }

    /// Whether a point is so high above the ground that the sonde does not lie on a hill there.
    public func isAboveGround(_ point: TrackPoint) -> Bool {
        point.altitudeMetres - groundMetres >= Self.clearlyAboveGround
    }

    /// Sets the flight's last prediction; nil without one. A sonde that is heard again is expected there.
    public mutating func expect(_ landing: LandingExpectation?) { surroundings.expectation = landing }

    /// Sets the heights of the ground around the landing point; nil if nobody knows them.
    public mutating func know(terrain: TerrainPatch?) { surroundings.terrain = terrain }

    /// Sets the places where sondes start. A sonde that stands there has not landed: if a place becomes known late, a
    /// landing `heard_on_ground` there is taken back.
    /// - Parameter hasLandedBefore: the landing of an earlier flight of this sonde is known.
    public mutating func know(launchSites: [Coordinate], hasLandedBefore: Bool = false) {
        surroundings.hasLandedBefore = hasLandedBefore
        guard launchSites != surroundings.launchSites else { return }
        surroundings.launchSites = launchSites
        guard !hasLandedBefore, landingTime == .unknown, let landingPlace,
            FlightJudge.isLaunchSite(landingPlace.coordinate, launchSites)
        else { return }
        judge.takeLandingBack()
        leftOut = nil
    }

    private mutating func observe(_ point: TrackPoint, _ reported: ReportedSpeeds, _ changes: inout [Change]) {
        surroundings.ground = knownGround
        var surroundings = surroundings
        surroundings.reported = reported
        let (before, leaps) = (judge.accepted, judge.leaps)
        judge.add(point, knowing: surroundings, &changes)
        guard judge.leaps == leaps else {
            motionFilter = MotionFilter(judge.recent.window(seconds: Self.replaySeconds))
            return
        }
        for accepted in judge.recent.points.suffix(judge.accepted - before) { motionFilter.add(accepted) }
    }

    private mutating func cutExcursions(_ changes: inout [Change]) {
        for excursion in judge.takeExcursions() {
            let count = track.removePoints(after: excursion.after, before: excursion.before)
            guard count > 0 else { continue }
            changes.append(
                .trackTruncated(TrackTruncation(count: count, reason: .excursion, boundary: excursion.after)))
        }
    }

    /// Keeps earlier conclusions that the track no longer shows. Its oldest points may have been dropped at the track's
    /// bound, and the points after the landing are left out.
    private mutating func keep(_ before: FlightJudge) {
        if let burst = before.burst.burst { judge.keep(burst: burst) }
        // A place where the sonde was first heard at rest is no landing any more once its flight is known.
        if let landing = before.afterLanding, let foundAt = before.landedAt,
            landing.certainty != .unknown || !judge.hasFlown
        {
            if judge.afterLanding == nil { judge.land(at: landing.landing, landing.certainty, foundAt: foundAt) }
            judge.keep(dragged: landing)
            if landing.hasMoved { judge.setMoved() }
        }
        if judge.afterLanding == nil, judge.blackout == nil, let carried = before.blackout, carried.isCarried {
            judge.keep(carried: carried)
        }
    }

    /// Where the sonde fell below the place of a landing that was found with fewer points; nil if it did not.
    private func fall(below landing: TrackPoint) -> TrackPoint? {
        guard judge.afterLanding?.landing != landing else { return nil }
        var (watch, recent) = (AfterLanding(landing: landing), RecentPoints())
        for point in track.points where point.time >= landing.time {
            recent.append(point)
            if watch.follow(recent) == .revoked { return point }
        }
        return nil
    }

    private mutating func truncate(_ changes: inout [Change]) {
        if case .newFlight(let first)? = changes.first(where: \.isNewFlight) {
            let count = track.removePoints(before: first.time)
            leftOut = nil
            if count > 0 {
                changes.append(
                    .trackTruncated(TrackTruncation(count: count, reason: .newFlight, boundary: first.time)))
            }
        }
        if let end = judge.landedAt {
            leaveOut(after: end, .landed, &changes)
        } else if let blackout = judge.blackout, blackout.isCarried {
            // The points of the gap belong to the flight, if a source has them.
            leaveOut(after: blackout.first.time.advanced(by: .seconds(-1)), .blackout, &changes)
            leftOut = newest.map { LeftOut(after: blackout.first.time.advanced(by: .seconds(-1)), upTo: $0.time) }
        }
    }

    private mutating func leaveOut(
        after end: WallTime, _ reason: TrackTruncation.Reason, _ changes: inout [Change]
    ) {
        let count = track.removePoints(after: end)
        guard count > 0 else { return }
        leftOut = newest.map { LeftOut(after: end, upTo: $0.time) }
        changes.append(.trackTruncated(TrackTruncation(count: count, reason: reason, boundary: end)))
    }

    private func isLeftOut(_ point: TrackPoint) -> Bool { leftOut?.contains(point) ?? false }
}

extension Flight.Change {
    fileprivate var isNewFlight: Bool {
        if case .newFlight = self { return true }
        return false
    }

    fileprivate var isLandingRevoked: Bool {
        if case .landingRevoked = self { return true }
        return false
    }
}

extension Flight: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        track.replaceTimes(replacement)
        leftOut?.replaceTimes(replacement)
        newest?.replaceTimes(replacement)
        if leftOut == nil { newest = track.newest }
        if let known = judge.blackout {
            judge.keep(
                carried: known.begunAgain(
                    from: known.last.replacingTimes(replacement), to: known.first.replacingTimes(replacement)))
        }
        _ = judgeAnew()
    }
}
