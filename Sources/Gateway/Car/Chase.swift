import FlightMath
import GatewayReports
import ReceiverProtocol

/// Reports the sonde and its landing point relative to the car, at most once a second.
struct Chase: Sendable {
    private static let interval = Duration.seconds(1)
    /// An unchanged report is repeated after this time, because listeners drop an old one and a phone sends only once a
    /// minute.
    private static let renewal = Duration.seconds(15)
    /// A move of the car that a map should draw, metres.
    private static let significantMetres = 10.0

    /// All fields are nil while the car's position is unknown.
    private(set) var report = ChaseReport.unknown(at: nil)
    private(set) var deadline: MonotonicTime?
    private var closing = ClosingSpeed()
    private var computed: Inputs?
    private var computedAt: MonotonicTime?
    /// Where the car was at its last significant move.
    private var drawnAt: Coordinate?

    /// The values from which the report is computed.
    private struct Inputs: Equatable {
        var car: CarPosition?
        var sonde: TrackPoint?
        var serial: SondeSerial?
        var landing: LandingPoint?
        var trip: Trip?
        var crew: CrewsReport.Crew?
        var isInSight: Bool?
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        var inputs = Inputs(
            car: facts.road.car, sonde: sonde(facts, at: turn.now), serial: facts.sonde.serial,
            landing: facts.sonde.landing,
            trip: facts.road.trip, crew: facts.road.nearestCrew, isInSight: facts.road.isInSight)
        if inputs.car == nil { inputs = Inputs() }
        let renewal = inputs.car == nil ? nil : computedAt?.advanced(by: Self.renewal)
        if inputs == computed, !turn.now.monotonic.hasReached(renewal) {
            deadline = .earliest(deadline, renewal)
            return
        }
        // Publish nothing before the car's position was known once.
        guard inputs.car != nil || report.at != nil else { return }
        if let due = computedAt?.advanced(by: Self.interval), turn.now.monotonic < due {
            deadline = .earliest(deadline, due)
            return
        }
        (computed, computedAt) = (inputs, turn.now.monotonic)
        report = compute(inputs, at: turn.now)
        guard inputs.car != nil else { return }
        deadline = .earliest(deadline, turn.now.monotonic.advanced(by: Self.renewal))
    }

    /// The sonde's newest point if it is younger than two minutes, or the place of its landing; otherwise nil.
    private mutating func sonde(_ facts: Facts, at now: Moment) -> TrackPoint? {
        guard let point = facts.sonde.newestPoint else { return nil }
        if facts.sonde.phase.reason == .vectorTest || facts.sonde.phase.reason == .heardOnGround { return point }
        let left = Silence.silent.begins - now.wall.duration(since: point.time)
        guard left > .zero else { return nil }
        if facts.road.car != nil { deadline = now.monotonic.advanced(by: left) }
        return point
    }

    private mutating func compute(_ inputs: Inputs, at now: Moment) -> ChaseReport {
        guard let car = inputs.car else {
            (closing, drawnAt) = (ClosingSpeed(), nil)
            return .unknown(at: now)
        }
        closing.add(car)
        if let sonde = inputs.sonde { closing.add(sonde, of: inputs.serial) }
        let isSignificant = drawnAt.map { $0.distanceMetres(to: car.coordinate) >= Self.significantMetres } ?? true
        if isSignificant { drawnAt = car.coordinate }
        return ChaseReport(
            car: car,
            sonde: inputs.sonde.map { point in
                var relative = RelativePosition(
                    of: point.coordinate, altitudeMetres: point.altitudeMetres, from: car,
                    closingSpeed: closing.toSonde(at: point.coordinate, from: car))
                relative.isInSight = inputs.isInSight
                return relative
            },
            landing: inputs.landing.map { point in
                RelativePosition(
                    of: point.coordinate, altitudeMetres: point.altitudeMetres, from: car,
                    closingSpeed: closing.toPlace(point.coordinate))
            },
            trip: inputs.trip,
            margin: Self.margin(inputs),
            nearestCrew: inputs.crew, isSignificantMove: isSignificant, at: now)
    }

    /// How long before the landing the car arrives; negative if later. Nil for a car that is at the place of a past landing: it has
    /// arrived, and the time since is no delay.
    private static func margin(_ inputs: Inputs) -> Duration? {
        guard let car = inputs.car, let trip = inputs.trip, let landing = inputs.landing,
            let landingAt = landing.landingAt
        else { return nil }
        let margin = landingAt.duration(since: trip.arrivalAt)
        let isThere = car.coordinate.distanceMetres(to: landing.coordinate) <= RelativePosition.nearMetres
        return isThere && margin < .zero ? nil : margin
    }
}
