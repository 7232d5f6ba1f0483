import ReceiverProtocol

/// One sonde's flight as far as it is known: track, motion, phase, burst, landing.
///
/// | phase, the first that holds | when |
/// | --- | --- |
/// | `landed`, `vector_test` | at rest after a flight; only a new climb ends it |
/// | `landed`, `sondehub_silent` | nobody hears it, and it was near the ground or must be down by now |
/// | `unknown`, `on_ground` | at rest, and it has not flown |
/// | `ascending` | smoothed vertical speed > 0 |
/// | `descending…` | < 0; reason `silent_in_flight` while nobody hears it |
/// | `unknown` | else |
public struct Flight: Equatable, Sendable {
    /// What nobody hearing it means.
    private enum Silence: Equatable, Sendable {
        case none
        /// Too high to be down.
        case inFlight
        case landed
    }

    private static let descentBoundary = 10_000.0
    /// How much of a track its motion is computed from anew, seconds.
    private static let replaySeconds = 180.0
    /// Lost this far above the ground a sonde is taken for landed.
    private static let silentLandingMetres = 1500.0
    /// Heard again this far above the ground it was not down, metres.
    private static let clearlyAboveGround = 300.0
    /// Or so long after its predicted landing.
    public static let silentLandingDelay = Duration.seconds(300)

    public private(set) var track = Track()
    private(set) var motionFilter = MotionFilter()
    /// The ground's altitude in this area, metres above sea level, where it is configured or known from elsewhere; nil
    /// takes the launch's.
    public var groundAltitudeMetres: Double?
    /// What the points say so far.
    private(set) var judge = FlightJudge()
    private var silence = Silence.none
    /// What was left out of the track: the points after the one time up to the other.
    private struct LeftOut: Equatable, Sendable {
        var after, upTo: WallTime

        func contains(_ point: TrackPoint) -> Bool {
            point.second > after.wholeSeconds && point.second <= upTo.wholeSeconds
        }
    }

    private var leftOut: LeftOut?
    /// The newest point of all, though the track may end at the landing.
    public private(set) var newest: TrackPoint?

    public init() {}

    /// The balloon's highest point once it burst there; may be revoked.
    public var burst: TrackPoint? { judge.burst.burst }

    /// The highest plausible point.
    public var highest: TrackPoint? { judge.burst.highest }

    /// By track, unless the flight is over.
    public var motion: Motion? { phase.phase == .landed ? .atRest : motionFilter.smoothed }

    /// The newest point that the filter let through: what is predicted begins there.
    public var newestTrusted: TrackPoint? { judge.recent.points.last ?? newest }

    /// Between the last two points, unfiltered; nil when they say nothing.
    public var rawMotion: Motion? { motionFilter.raw }

    /// m/s, negative, 0 once it has landed; nil while it doesn't descend.
    public var adjustedDescentRate: Double? { phase.phase == .landed ? 0 : motionFilter.adjustedDescentRate }

    /// Where it lies by rest, and since when; nil while it flies, and after a landing that was judged by silence.
    public var landingPlace: TrackPoint? { judge.afterLanding?.landing }

    /// It has landed and somebody has carried it away.
    public var hasMoved: Bool { judge.afterLanding?.hasMoved ?? false }

    /// It has come down from a height: it burst, or fell 1000 m.
    public var hasDescended: Bool { judge.hasDescended }

    /// It burst, or falls without a break.
    public var hasDescentBegun: Bool { judge.descentBegan != nil }

    /// It is no more where it was launched, or was never heard there.
    public var isLetGo: Bool { judge.isLetGo }

    /// Layers of 250 m whose wind it met.
    public var windLayers: Int { judge.winds.winds.layers.count }

    /// Metres above sea level of the ground below it, as well as that is known.
    public var groundMetres: Double { judge.groundMetres(configured: groundAltitudeMetres) }

    /// The first rule that holds.
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

    /// Takes a point; one that is not the newest only fills the track.
    /// - Returns: whether it was taken, and what it changed.
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

    /// Takes the points of a gap, in any order, and judges the flight anew.
    /// - Returns: how many were taken, and what they changed.
    public mutating func insert(contentsOf points: [TrackPoint]) -> (taken: Int, changes: [Change]) {
        let taken = track.insert(contentsOf: leftOut == nil ? points : points.filter { !isLeftOut($0) })
        guard taken > 0 else { return (0, []) }
        return (taken, judgeAnew())
    }

    /// Judges the whole track in one pass, as after a gap was filled.
    /// - Returns: what differs from what was known before.
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

    /// Judges what it means that nobody has heard the sonde for a while (or that somebody has again).
    ///
    /// - Parameters:
    ///   - isSilent: nobody has heard it for more than 120 s.
    ///   - predictedLandingAt: of the last prediction, if there was one.
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

    /// An earlier run has judged the silence behind these points, and said so.
    public mutating func stayDownInSilence() {
        if landingPlace == nil { silence = .landed }
    }

    /// By more than a hill; false where nothing is known.
    public var isAboveGround: Bool {
        newest.map { $0.altitudeMetres - groundMetres >= Self.clearlyAboveGround } ?? false
    }

    /// The wall clock was set.
    /// - Parameter start: points before are from an earlier run, whose clock is not meant.
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

    /// A pass over the whole track may see less than was known: its beginning may have been dropped at the track's
    /// bound, or what was told by motion since the landing with what came after it.
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
