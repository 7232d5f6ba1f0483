import FlightMath
import GatewayReports
import ReceiverProtocol

/// Announces the status at a fixed interval while a source hears the sonde.
struct StatusTeller: Equatable, Sendable {
    /// Nil announces no status.
    var interval: Duration? {
        didSet { if interval != oldValue { (dueAt, deadline) = (nil, nil) } }
    }
    private var dueAt: MonotonicTime?
    private(set) var deadline: MonotonicTime?

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        guard let interval, facts.sonde.serial != nil, facts.state.hasTelemetry,
            !facts.run.isStopping
        else {
            (dueAt, deadline) = (nil, nil)
            return
        }
        let now = turn.now.monotonic
        if let dueAt, now >= dueAt {
            self.dueAt = now.advanced(by: interval)
            turn.announce(.status(SpokenStatus(facts, &turn)))
        }
        dueAt = dueAt ?? now.advanced(by: interval)
        deadline = dueAt
    }
}

extension SpokenStatus {
    init(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now
        let landing = facts.sonde.landing?.coordinate
        let isHeard = facts.state.hasTelemetry
        let isStraight = facts.road.trip?.method == .straightLine
        let arrivalAt = facts.road.trip.flatMap { $0.isNoRoadNear ? nil : $0.arrivalAt }
        if facts.sonde.phase.phase == .landed {
            self.init(
                facts.sonde.phase.reason == .sondeHubSilent ? .probablyOnTheGround : .onTheGround, landing: landing,
                radius50Metres: facts.sonde.landing?.radius50Metres,
                town: landing.flatMap { turn.towns.town(near: $0) },
                drive: arrivalAt.map { $0.duration(since: now.wall) }, isStraight: isStraight)
            return
        }
        let isFlying = facts.sonde.phase.phase != .unknown
        guard isHeard || isFlying && landing != nil else {
            self.init(facts.hearsNoPlace(at: now.monotonic) ? .heardWithoutPlace : .unknown)
            return
        }
        let isOnPad = facts.sonde.phase.reason == .onGround
        let timeToGo = facts.sonde.landing?.timeLeft(at: now.monotonic)
        let place = isOnPad ? facts.sonde.newestPoint?.coordinate : landing
        self.init(
            isOnPad ? .onTheGround : .inTheAir,
            verticalSpeed: isHeard && isFlying ? facts.sonde.verticalSpeed : nil,
            altitudeMetres: isHeard ? facts.sonde.altitudeMetres : nil, timeToGo: isOnPad ? nil : timeToGo,
            landing: place,
            radius50Metres: isOnPad ? nil : facts.sonde.landing?.radius50Metres,
            town: place.flatMap { turn.towns.town(near: $0) },
            margin: isOnPad
                ? nil
                : timeToGo.flatMap { left in
                    arrivalAt.map { left - $0.duration(since: now.wall) }
                }, isStraight: isStraight)
    }
}
