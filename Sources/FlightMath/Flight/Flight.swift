import ReceiverProtocol

/// The known part of one sonde's flight: track, motion, phase, burst, landing.
///
/// | phase and reason (the first row that applies) | condition |
/// | --- | --- |
/// | `landed`, `vector_test` | at rest after a flight; only a new climb ends it |
/// | `landed`, `sondehub_silent` | not heard; it was near the ground, or its predicted landing is long past |
/// | `unknown`, `on_ground` | at rest, and it has not flown |
/// | `ascending` | smoothed vertical speed > 0 |
/// | `descending…` | smoothed vertical speed < 0; the reason is `silent_in_flight` while it is not heard |
/// | `unknown` | otherwise |
public struct Flight: Equatable, Sendable {
    /// What we conclude from silence: no source hears the sonde.
    private enum Silence: Equatable, Sendable {
        case none
        /// Silent, but last heard too high to be down.
        case inFlight
        case landed
    }

    private static let descentBoundary = 10_000.0
    /// After a gap is filled, the motion is computed again from this much of the track, seconds.
    private static let replaySeconds = 180.0
    /// A descending sonde that falls silent below this height above ground counts as landed, metres.
    private static let silentLandingMetres = 1500.0
    /// A sonde that is heard again above this height above ground had not landed, metres.
    private static let clearlyAboveGround = 300.0
    /// A silent sonde also counts as landed this long after its predicted landing.
    public static let silentLandingDelay = Duration.seconds(300)

    public private(set) var track = Track()
    private(set) var motionFilter = MotionFilter()
    /// The ground's altitude in this area, metres above sea level, if it is configured or known from an elevation
    /// model. Nil uses the launch's altitude.
    public var groundAltitudeMetres: Double?
    /// The conclusions from all points so far.
    private(set) var judge = FlightJudge()
    private var silence = Silence.none
    /// The points that are left out of the track: those after one time, up to another.
    private struct LeftOut: Equatable, Sendable {
        var after, upTo: WallTime

        func contains(_ point: TrackPoint) -> Bool {
            point.second > after.wholeSeconds && point.second <= upTo.wholeSeconds
        }
    }

    private var leftOut: LeftOut?
    /// The newest of all points. The track itself may end earlier, at the landing.
    public private(set) var newest: TrackPoint?

    public init() {}

    /// The balloon's highest point, once the burst is detected. A later point can revoke it.
    public var burst: TrackPoint? { judge.burst.burst }

    /// The highest plausible point.
    public var highest: TrackPoint? { judge.burst.highest }

    /// The smoothed motion, computed from the track; at rest after the landing.
    public var motion: Motion? { phase.phase == .landed ? .atRest : motionFilter.smoothed }

    /// The newest point that the outlier filter accepted. Predictions begin there.
    public var newestTrusted: TrackPoint? { judge.recent.points.last ?? newest }

    /// The unfiltered motion between the last two points; nil if they are too far apart in time.
    public var rawMotion: Motion? { motionFilter.raw }

    /// The descent rate, m/s, negative; 0 after the landing; nil while the sonde doesn't descend.
    public var adjustedDescentRate: Double? { phase.phase == .landed ? 0 : motionFilter.adjustedDescentRate }

    /// Where the sonde came to rest, and since when; nil in flight, and after a landing that was concluded from
    /// silence.
    public var landingPlace: TrackPoint? { judge.afterLanding?.landing }

    /// The sonde has landed and somebody has carried it away.
    public var hasMoved: Bool { judge.afterLanding?.hasMoved ?? false }

    /// The sonde has come down from a height: the balloon burst, or the sonde fell 1000 m.
    public var hasDescended: Bool { judge.hasDescended }

    /// The balloon burst, or the sonde falls without a break.
    public var hasDescentBegun: Bool { judge.descentBegan != nil }

    /// The balloon has left the launch pad, or was never heard there.
    public var isLetGo: Bool { judge.isLetGo }

    /// The number of layers of 250 m whose wind the flight has measured.
    public var windLayers: Int { judge.winds.winds.layers.count }

    /// The best known altitude of the ground below the sonde, metres above sea level.
    public var groundMetres: Double { judge.groundMetres(configured: groundAltitudeMetres) }

    /// The phase by the table above.
    public var phase: PhaseVerdict {
        if judge.afterLanding != nil { return PhaseVerdict(.landed, .vectorTest) }
        if silence == .landed { return PhaseVerdict(.landed, .sondeHubSilent) }
        if judge.rest.isSupporting, !judge.hasDescended, !judge.hasClimbed { return PhaseVerdict(.unknown, .onGround) }
        guard let vertical = motionFilter.smoothed?.verticalSpeed, let newest = judge.recent.points.last, vertical != 0
        else { return PhaseVerdict(.unknown, nil) }
        if vertical > 0 { return PhaseVerdict(.ascending, .verticalSpeed) }
        let isHigh = newest.altitudeMetres >= Self.descentBoundary
        return PhaseVerdict(
            isHigh ? .descendingAbove10k : .descendingBelow10k, silence == .none ? .verticalSpeed : .silentInFlight)
    }

    /// Inserts a point. One that is not the newest only fills the track.
    /// - Returns: whether the point was inserted, and the changes that it caused.
    public mutating func insert(_ point: TrackPoint) -> (isTaken: Bool, changes: [Change]) {
        if let newest, point.second <= newest.second {
            guard !isLeftOut(point) else { return (false, []) }
            return (track.insert(point) == .between, [])
        }
        track.insert(point)
        newest = point
        var changes: [Change] = []
        observe(point, &changes)
        if changes.contains(where: \.isNewFlight) { truncate(&changes) }
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
        for point in track.points { judge.add(point, &seen) }
        if let last = track.newest, last.second > newest?.second ?? .min { newest = last }
        motionFilter = MotionFilter(judge.recent.window(seconds: Self.replaySeconds))
        var changes = seen.filter(\.isNewFlight)
        if changes.isEmpty { keep(before) }
        let known = changes.isEmpty ? before : FlightJudge()
        if let burst, known.burst.burst == nil { changes.append(.burst(burst)) }
        if burst == nil, let revoked = known.burst.burst { changes.append(.burstRevoked(revoked)) }
        if let landingPlace, known.afterLanding == nil { changes.append(.landed(landingPlace)) }
        if hasMoved, known.afterLanding?.hasMoved != true, let newest { changes.append(.moved(newest)) }
        truncate(&changes)
        return changes
    }

    /// Draws the conclusions from silence, and from its end.
    ///
    /// - Parameters:
    ///   - isSilent: no source has heard the sonde for more than 120 s.
    ///   - predictedLandingAt: the landing time of the last prediction; nil without one.
    public mutating func judgeSilence(
        isSilent: Bool, predictedLandingAt: WallTime?, at now: WallTime
    ) -> [Change] {
        guard isSilent else {
            defer { silence = .none }
            return silence == .landed && landingPlace == nil ? [.heardAgain] : []
        }
        guard silence != .landed else { return [] }
        silence = .inFlight
        guard judge.hasDescended, landingPlace == nil, let last = judge.recent.points.last else { return [] }
        let isNearGround = last.altitudeMetres - groundMetres <= Self.silentLandingMetres
        let isOverdue = predictedLandingAt.map { now.duration(since: $0) >= Self.silentLandingDelay } ?? false
        guard isNearGround || isOverdue else { return [] }
        silence = .landed
        return [.landedInSilence(last)]
    }

    /// Call if an earlier run of the gateway already announced a landing from silence after these points.
    public mutating func stayDownInSilence() {
        if landingPlace == nil { silence = .landed }
    }

    /// Whether the newest point is higher above ground than a hill; false without points.
    public var isAboveGround: Bool {
        newest.map { $0.altitudeMetres - groundMetres >= Self.clearlyAboveGround } ?? false
    }

    /// Corrects the times after the wall clock was set.
    /// - Parameter start: earlier points come from an earlier run, whose clock was another one, and keep their times.
    public mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        track.clockSet(byMilliseconds: change, since: start)
        let moved = { (time: WallTime) in time.clockSet(byMilliseconds: change, since: start) }
        if let leftOut { self.leftOut = LeftOut(after: moved(leftOut.after), upTo: moved(leftOut.upTo)) }
        if let last = newest, last.source == .ble { newest?.time = moved(last.time) }
        if leftOut == nil { newest = track.newest }
        _ = judgeAnew()
    }

    private mutating func observe(_ point: TrackPoint, _ changes: inout [Change]) {
        let before = judge.accepted
        judge.add(point, &changes)
        for accepted in judge.recent.points.suffix(judge.accepted - before) { motionFilter.add(accepted) }
    }

    /// Keeps earlier conclusions that the track no longer shows. Its oldest points may have been dropped at the track's
    /// bound, and the points after the landing are left out.
    private mutating func keep(_ before: FlightJudge) {
        if let burst = before.burst.burst { judge.keep(burst: burst) }
        if let landing = before.afterLanding, let foundAt = before.landedAt {
            if judge.afterLanding == nil {
                judge.land(at: landing.landing, foundAt: foundAt)
            }
            if landing.hasMoved { judge.setMoved() }
        }
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
        guard let end = judge.landedAt else { return }
        let count = track.removePoints(after: end)
        guard count > 0 else { return }
        leftOut = newest.map { LeftOut(after: end, upTo: $0.time) }
        changes.append(.trackTruncated(TrackTruncation(count: count, reason: .landed, boundary: end)))
    }

    private func isLeftOut(_ point: TrackPoint) -> Bool { leftOut?.contains(point) ?? false }
}

extension Flight.Change {
    fileprivate var isNewFlight: Bool {
        if case .newFlight = self { return true }
        return false
    }
}
