import FlightMath
import GatewayReports
import ReceiverProtocol

/// Announces the milestones of a chase: altitudes, the sonde below 10 km, the distances to the landing point, whether
/// the car arrives first, and that no road leads near. Each is announced once, until its condition becomes true again.
struct Milestones: Equatable, Sendable {
    /// A distance may be announced again after it was exceeded by this factor.
    private static let rearming = 1.2
    /// If the real distance is at least this share of the milestone, the sentence says the round number.
    private static let round = 0.9
    /// The car's arrival must be this much before or after the landing; in a straight line, whose time is a guess, also
    /// this share of the way's time.
    private static let clearMargin = Duration.seconds(30)
    private static let clearShare = 0.1
    /// An altitude is announced on the way down only if the balloon has climbed this much above it, metres.
    private static let clearMetres = 200.0

    /// The distance between two altitudes that are announced on the way up, metres; in feet the nearest round step. With
    /// 0 no altitude is announced, not even on the way down.
    var altitudeStepMetres = 5000.0
    /// Their round values are announced.
    private var units = Units.metric
    private var flight = FlightKey()
    private var wasHigh = false
    /// How many steps the sonde has climbed, and how many of the altitudes down it has fallen below; nil before the
    /// first altitude.
    private var stepsUp, passedDown: Int?
    /// How many of the distances have been reached; nil before the first distance.
    private var reached: Int?
    /// The place is known, not predicted.
    private var isKnown = false
    private var isEarly: Bool?
    private var wasNoRoadNear = false

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        if facts.sonde.flight != flight {
            let step = altitudeStepMetres
            self = Milestones()
            (flight, altitudeStepMetres) = (facts.sonde.flight, step)
        }
        // What was reached counts in the steps of the old units.
        if turn.units != units { (units, stepsUp, passedDown, reached) = (turn.units, nil, nil, nil) }
        followHeight(facts, &turn)
        followAltitude(facts, &turn)
        followDistance(facts, &turn)
        followArrival(facts, &turn)
    }

    private mutating func followHeight(_ facts: Facts, _ turn: inout Turn) {
        switch facts.sonde.phase.phase {
        case .descendingAbove10k: wasHigh = true
        case .descendingBelow10k:
            guard wasHigh, let point = facts.sonde.newestPoint else { return }
            wasHigh = false
            // With altitudes switched on, the altitude of 10 km says the same.
            turn.announce(.below10km(point), isSpoken: altitudeStepMetres == 0)
        case .ascending, .landed: wasHigh = false
        case .unknown: break  // The sonde's height has not changed.
        }
    }

    private mutating func followAltitude(_ facts: Facts, _ turn: inout Turn) {
        guard altitudeStepMetres > 0, let metres = facts.sonde.altitudeMetres else { return }
        switch facts.sonde.phase.phase {
        case .unknown: break  // The sonde stands, or its motion is unknown.
        case .landed: (stepsUp, passedDown) = (nil, nil)
        case .ascending:
            passedDown = units.altitudesDown.count { metres < $0 + Self.clearMetres }
            let step = units.roundStep(near: altitudeStepMetres)
            let steps = Int(clamping: Int64(max(0, metres / step)))
            if let before = stepsUp, steps > before {
                turn.announce(.altitude(metres: Double(steps) * step, isRising: true))
            }
            stepsUp = max(steps, stepsUp ?? 0)
        case .descendingAbove10k, .descendingBelow10k:
            let passed = units.altitudesDown.count { metres <= $0 }
            if let before = passedDown, passed > before {
                turn.announce(.altitude(metres: units.altitudesDown[passed - 1], isRising: false))
            }
            passedDown = max(passed, passedDown ?? 0)
        }
    }

    private mutating func followDistance(_ facts: Facts, _ turn: inout Turn) {
        guard let point = facts.sonde.landing else {
            reached = nil
            return
        }
        guard let car = facts.road.car else { return }
        let (landing, radius) = (point.coordinate, point.radius50Metres ?? 0)
        let metres = car.coordinate.distanceMetres(to: landing)
        // Nobody is 500 metres from a place that may be two kilometres away.
        let count = units.distancesToGo.count { metres <= $0 && $0 >= radius }
        let wasKnown = isKnown
        isKnown = point.radius50Metres == nil
        // A place that has just become known has a sentence of its own.
        guard let before = reached, wasKnown || !isKnown else {
            reached = count
            return
        }
        if count > before, let distance = units.distancesToGo.prefix(count).last {
            reached = count
            guard metres >= radius else { return }
            turn.announce(.distance(metres: metres >= distance * Self.round ? distance : metres, to: landing))
        } else if metres > (units.distancesToGo.prefix(before).last ?? .infinity) {
            reached = min(before, units.distancesToGo.count { metres / Self.rearming <= $0 })
        }
    }

    private mutating func followArrival(_ facts: Facts, _ turn: inout Turn) {
        guard let trip = facts.road.trip, let landing = facts.sonde.landing else { return }
        if trip.isNoRoadNear, !wasNoRoadNear, let gap = trip.endGapMetres { turn.announce(.noRoadNear(metres: gap)) }
        // A straight line does not show whether a road is near.
        if trip.method != .straightLine { wasNoRoadNear = trip.isNoRoadNear }
        // If a server is configured, a straight line only replaces its route. A failure of the server must not change
        // the announced arrival.
        let isStraight = trip.method == .straightLine
        guard landing.source == .predicted || landing.source == .manual, let landingAt = landing.landingAt,
            !isStraight || trip.reason == .noServer
        else { return }
        let goal = SpokenLanding(landing.coordinate, radius50Metres: landing.radius50Metres)
        if let car = facts.road.car, goal.isVague(from: car) { return }
        let margin = landingAt.duration(since: trip.arrivalAt)
        let clear = isStraight ? max(Self.clearMargin, trip.duration * Self.clearShare) : Self.clearMargin
        guard margin >= clear || margin <= .zero - clear else { return }
        let isNowEarly = margin > .zero
        if let isEarly, isEarly != isNowEarly {
            turn.announce(.arrival(margin: margin, isNoRoadNear: trip.isNoRoadNear, isStraight: isStraight))
        }
        isEarly = isNowEarly
    }
}
