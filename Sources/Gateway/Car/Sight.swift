import FlightMath
import GatewayReports
import ReceiverProtocol

/// Finds out whether hills are between the car and the sonde, and how far away the sonde can be heard in each
/// direction. It uses the height files that the crew brings.
///
///     asked                       when
///     the ground on the line      the car has moved 50 m, or the sonde 100 m; at most every 5 s. Again after a minute
///                                 while the answer is unknown
///     the ground around           the sonde has moved 500 m; at most once a minute
///
/// Only one call runs.
struct Sight: Sendable {
    private static let lineInterval = Duration.seconds(5)
    private static let ringInterval = Duration.seconds(60)
    private static let ringMetres = 500.0

    /// Whether the line from the car to the sonde is free; nil while that is unknown.
    private(set) var isClear: Bool?
    private(set) var horizon: HorizonReport?
    private(set) var deadline: MonotonicTime?
    private var serial: SondeSerial?
    private var lineErrand = Errand<TerrainAnswer>()
    /// The line of the last question; nil before the first.
    private var line: SightLine?
    private var ringErrand = Errand<TerrainAnswer>()
    /// The ring of the last question; nil before the first.
    private var ring: RadioHorizon?

    /// - Parameter usesTerrain: whether the crew may have height files.
    mutating func follow(_ facts: Facts, usesTerrain: Bool, _ turn: inout Turn) {
        deadline = nil
        if facts.sonde.serial != serial { forget(&turn) }
        serial = facts.sonde.serial
        guard usesTerrain, let point = facts.sonde.newestPoint else { return forget(&turn) }
        guard !facts.run.isStopping else {
            return cancel(&turn)
        }
        let isDown = facts.sonde.phase.phase == .landed
        let metres = isDown ? facts.sonde.landing?.altitudeMetres ?? point.altitudeMetres : point.altitudeMetres
        askForLine(from: facts.road.car, to: point.coordinate, sondeMetres: metres, &turn)
        askForRing(around: point.coordinate, at: metres, &turn)
    }

    private mutating func askForLine(
        from car: CarPosition?, to sonde: Coordinate, sondeMetres: Double, _ turn: inout Turn
    ) {
        guard let car else { return (isClear, line) = (nil, nil) }
        let next = SightLine(
            from: car.coordinate, carMetres: car.altitudeMetres, to: sonde, sondeMetres: sondeMetres)
        let isNew = line.map(next.isFar) ?? true
        guard isNew || isClear == nil, !ringErrand.isOut,
            lineErrand.isDue(
                every: isNew ? Self.lineInterval : Self.ringInterval, at: turn.now.monotonic, &deadline)
        else { return }
        line = next
        lineErrand.ask(.groundAlong([next.ground]), &turn)
    }

    private mutating func askForRing(around sonde: Coordinate, at metres: Double, _ turn: inout Turn) {
        let isNew =
            ring.map {
                $0.sonde.distanceMetres(to: sonde) >= Self.ringMetres
                    || abs($0.sondeMetres - metres) >= Self.ringMetres
            } ?? true
        guard isNew || horizon == nil, !lineErrand.isOut,
            ringErrand.isDue(every: Self.ringInterval, at: turn.now.monotonic, &deadline)
        else { return }
        let next = RadioHorizon(of: sonde, at: metres)
        ring = next
        ringErrand.ask(.groundAlong(next.lines), &turn)
    }

    mutating func answered(_ reply: Reply, _ turn: inout Turn) {
        if case .success(let ground)? = lineErrand.take(reply, &turn), let line {
            isClear = ground.heights.first.flatMap { line.isClear(over: $0) }
        }
        if case .success(let ground)? = ringErrand.take(reply, &turn), let ring, let serial {
            horizon = ring.ring(over: ground.heights).map {
                HorizonReport(
                    serial: serial, sonde: ring.sonde, altitudeMetres: ring.sondeMetres, ring: $0,
                    computedAt: turn.now.wall)
            }
        }
    }

    private mutating func cancel(_ turn: inout Turn) {
        lineErrand.cancel(&turn)
        ringErrand.cancel(&turn)
    }

    private mutating func forget(_ turn: inout Turn) {
        cancel(&turn)
        (line, ring, isClear, horizon) = (nil, nil, nil, nil)
    }
}

extension TerrainAnswer {
    /// The heights along each line, metres; nil where no file knows the ground.
    fileprivate var heights: [[Double?]] { lines.map { $0.map { $0 == TerrainPatch.void ? nil : Double($0) } } }
}
