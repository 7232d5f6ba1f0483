import FlightMath
import GatewayReports
import ReceiverProtocol

/// What is said on the way: the sonde below 10 km, how far it is to the landing point, whether the car is there first,
/// and that no road leads near. Each once, until it is true anew.
struct Milestones: Equatable, Sendable {
    /// Said when the car comes as near as this to the landing point, metres.
    static let distances = [5000.0, 2000, 1000, 500, 200]
    /// Said again after the car, or the landing point, was further away by this factor.
    private static let rearming = 1.2
    /// A distance that was reached within this share of it is said as a round number.
    private static let round = 0.9
    /// The car is there before the sonde, or after it, by this much at least.
    private static let clearMargin = Duration.seconds(30)

    private var serial: SondeSerial?
    private var flightNumber = 0
    private var wasHigh = false
    /// How many of ``distances`` have been reached; nil before any is known.
    private var reached: Int?
    private var isEarly: Bool?
    private var wasNoRoadNear = false

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        if facts.serial != serial || facts.flightNumber != flightNumber { self = Milestones() }
        (serial, flightNumber) = (facts.serial, facts.flightNumber)
        followHeight(facts, &turn)
        followDistance(facts, &turn)
        followArrival(facts, &turn)
    }

    private mutating func followHeight(_ facts: Facts, _ turn: inout Turn) {
        switch facts.phase.phase {
        case .descendingAbove10k: wasHigh = true
        case .descendingBelow10k:
            guard wasHigh, let point = facts.newestPoint else { return }
            wasHigh = false
            turn.announce(.below10km(point))
        case .ascending, .landed: wasHigh = false
        case .unknown: break  // It is still as high as it was.
        }
    }

    private mutating func followDistance(_ facts: Facts, _ turn: inout Turn) {
        guard let landing = facts.landing?.coordinate else {
            reached = nil
            return
        }
        guard let car = facts.car else { return }
        let metres = car.coordinate.distanceMetres(to: landing)
        let count = Self.distances.count { metres <= $0 }
        guard let before = reached else {
            reached = count
            return
        }
        if count > before, let distance = Self.distances.prefix(count).last {
            reached = count
            turn.announce(.distance(metres: metres >= distance * Self.round ? distance : metres, to: landing))
        } else if count < before {
            reached = min(before, Self.distances.count { metres / Self.rearming <= $0 })
        }
    }

    private mutating func followArrival(_ facts: Facts, _ turn: inout Turn) {
        guard let trip = facts.trip, let landing = facts.landing else { return }
        if trip.isNoRoadNear, !wasNoRoadNear, let gap = trip.endGapMetres { turn.announce(.noRoadNear(metres: gap)) }
        // A straight line says nothing of roads.
        if trip.method != .straightLine { wasNoRoadNear = trip.isNoRoadNear }
        // With a server, a straight line is only in its place: a server's failure is no news of the arrival.
        let isStraight = trip.method == .straightLine
        guard landing.source == .predicted, let landingAt = landing.landingAt, !isStraight || trip.reason == .noServer
        else { return }
        let margin = landingAt.duration(since: trip.arrivalAt)
        guard margin >= Self.clearMargin || margin <= .zero - Self.clearMargin else { return }
        let isNowEarly = margin > .zero
        if let isEarly, isEarly != isNowEarly {
            turn.announce(.arrival(margin: margin, isNoRoadNear: trip.isNoRoadNear, isStraight: isStraight))
        }
        isEarly = isNowEarly
    }
}
