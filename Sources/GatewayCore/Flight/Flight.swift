import ReceiverProtocol

/// What the balloon does.
enum FlightPhase: String, CaseIterable, Sendable {
    /// Nothing tells yet, or the sonde lies on the launch pad.
    case unknown
    case ascending
    /// At 10 000 m or higher.
    case descendingAbove10k
    case descendingBelow10k
    case landed
}

/// Why the phase is what it is, for people and programs.
enum PhaseReason: String, CaseIterable, Sendable {
    case verticalSpeed = "vertical_speed"
    /// At rest by the track's newest points, after a flight.
    case vectorTest = "vector_test"
    /// SondeHub hears it no more: a guess.
    case sondeHubSilent = "sondehub_silent"
    /// At rest, but it has not flown: on the launch pad.
    case onGround = "on_ground"
    /// Nobody has told anything for a while.
    case noTelemetry = "no_telemetry"
}

/// A phase and why.
struct PhaseVerdict: Equatable, Sendable {
    var phase: FlightPhase
    var reason: PhaseReason?

    init(_ phase: FlightPhase, _ reason: PhaseReason?) {
        self.phase = phase
        self.reason = reason
    }
}

/// One sonde's flight as far as it is known: track, motion, phase, burst.
struct Flight: Equatable, Sendable {
    /// What an insertion brought about, in order.
    enum Change: Equatable, Sendable {
        case burst(TrackPoint)
        case landed(TrackPoint)
        /// It was at rest and moves again.
        case airborne
    }

    /// A climb over the lowest point before it that is no noise, metres.
    private static let climbMetres = 300.0
    /// A fall below the highest point that is no noise, metres.
    private static let fallMetres = 50.0
    private static let fastestVertical = 100.0
    private static let burstSpeed = -2.0
    private static let burstSeconds = 10.0
    private static let descentBoundary = 10_000.0
    /// How much of a track its motion is computed from anew, seconds.
    private static let replaySeconds: Int64 = 180

    private(set) var track = Track()
    private(set) var motionFilter = MotionFilter()
    private(set) var landingTest = LandingTest()
    private(set) var burst: TrackPoint?
    private(set) var highest: TrackPoint?
    private var lowestMetres = Double.infinity
    private var hasClimbed = false
    private var hasFlown = false
    private var fallsSince: WallTime?
    private var hasLanded = false
    /// When SondeHub last answered, it had heard nothing for a while.
    var isSondeHubSilent = false

    var newest: TrackPoint? { track.newest }

    /// By track, unless the flight is at rest.
    var motion: Motion? { phase.phase == .landed ? .atRest : motionFilter.smoothed }

    /// m/s, negative; nil while it doesn't descend.
    var adjustedDescentRate: Double? { phase.phase == .landed ? nil : motionFilter.adjustedDescentRate }

    /// Where it lies; nil while it flies.
    var landingPlace: TrackPoint? { landingTest.isAtRest && hasFlown ? landingTest.place : nil }

    /// The first rule that holds.
    var phase: PhaseVerdict {
        if isSondeHubSilent { return PhaseVerdict(.landed, .sondeHubSilent) }
        if landingTest.isAtRest {
            return hasFlown ? PhaseVerdict(.landed, .vectorTest) : PhaseVerdict(.unknown, .onGround)
        }
        guard let vertical = motionFilter.smoothed?.verticalSpeed, let newest, vertical != 0 else {
            return PhaseVerdict(.unknown, nil)
        }
        if vertical > 0 { return PhaseVerdict(.ascending, .verticalSpeed) }
        let isHigh = newest.altitudeMetres >= Self.descentBoundary
        return PhaseVerdict(isHigh ? .descendingAbove10k : .descendingBelow10k, .verticalSpeed)
    }

    /// Takes a point; one that is not the newest only fills the track.
    /// - Returns: whether it was taken, and what it changed.
    mutating func insert(_ point: TrackPoint) -> (isTaken: Bool, changes: [Change]) {
        let place = track.insert(point)
        guard place == .newest else { return (place == .between, []) }
        observe(point)
        landingTest.update(track.points[...])
        return (true, changes(at: point))
    }

    /// Takes the points of a gap, in any order, and judges the flight anew.
    /// - Returns: how many were taken, and what they changed.
    mutating func insert(contentsOf points: [TrackPoint]) -> (taken: Int, changes: [Change]) {
        let taken = track.insert(contentsOf: points)
        guard taken > 0, let newest else { return (0, []) }
        (highest, lowestMetres, hasClimbed, hasFlown) = (nil, .infinity, false, false)
        motionFilter = MotionFilter()
        fallsSince = nil
        let announced = burst
        burst = nil
        var changes: [Change] = []
        for point in track.points {
            observe(point)
            if let change = burstSeen(at: point), announced == nil { changes.append(change) }
        }
        burst = burst ?? announced
        landingTest = LandingTest(track.points)
        return (taken, changes + self.changes(at: newest))
    }

    /// The wall clock was set.
    /// - Parameter start: points before are from an earlier run, whose clock is not meant.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        track.clockSet(byMilliseconds: change, since: start)
        motionFilter = MotionFilter(track.suffix(seconds: Self.replaySeconds))
        fallsSince = nil
    }

    private mutating func observe(_ point: TrackPoint) {
        motionFilter.add(point)
        // No sonde moves like that: a bit error must not become the burst altitude.
        if let raw = motionFilter.raw, abs(raw.verticalSpeed) > Self.fastestVertical { return }
        if !hasClimbed {
            lowestMetres = min(lowestMetres, point.altitudeMetres)
            hasClimbed = point.altitudeMetres - lowestMetres >= Self.climbMetres
        }
        if highest.map({ point.altitudeMetres > $0.altitudeMetres }) ?? true { highest = point }
        let fall = (highest?.altitudeMetres ?? 0) - point.altitudeMetres
        if !hasFlown, hasClimbed || fall >= Self.fallMetres {
            hasFlown = true
            // It may have lain on the launch pad before a gap; that was no landing.
            landingTest = LandingTest()
        }
    }

    private mutating func changes(at point: TrackPoint) -> [Change] {
        var changes: [Change] = []
        if let change = burstSeen(at: point) { changes.append(change) }
        let isDown = landingPlace != nil
        if isDown, !hasLanded, let place = landingPlace { changes.append(.landed(place)) }
        if !isDown, hasLanded, !landingTest.isAtRest { changes.append(.airborne) }
        hasLanded = isDown
        return changes
    }

    private mutating func burstSeen(at point: TrackPoint) -> Change? {
        guard burst == nil, hasClimbed, let vertical = motionFilter.smoothed?.verticalSpeed,
            vertical < Self.burstSpeed
        else {
            fallsSince = nil
            return nil
        }
        let since = fallsSince ?? point.time
        fallsSince = since
        guard point.time.seconds(since: since) >= Self.burstSeconds, let highest else { return nil }
        burst = highest
        return .burst(highest)
    }

    static func == (left: Flight, right: Flight) -> Bool {
        left.track == right.track && left.motionFilter == right.motionFilter && left.landingTest == right.landingTest
            && left.burst == right.burst && left.isSondeHubSilent == right.isSondeHubSilent
    }
}
