import FlightMath
import GatewayReports
import ReceiverProtocol

/// Finds out whether hills are between the car and the sonde, and how far away the sonde can be heard in each
/// direction. It uses the height files that the crew brings (specification 3.5).
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

    private enum Question: Equatable, Sendable {
        case line(SightLine)
        case ring(RadioHorizon)
    }

    /// Whether the line from the car to the sonde is free; nil while that is unknown.
    private(set) var isClear: Bool?
    private(set) var horizon: HorizonReport?
    private(set) var deadline: MonotonicTime?
    private var call: (id: CallID, question: Question)?
    private var serial: SondeSerial?
    private var line: SightLine?
    private var ring: RadioHorizon?
    private var lineAt, ringAt: MonotonicTime?

    /// - Parameter usesTerrain: whether the crew may have height files.
    mutating func follow(_ facts: Facts, usesTerrain: Bool, _ turn: inout Turn) {
        deadline = nil
        if facts.serial != serial { forget(&turn) }
        serial = facts.serial
        guard usesTerrain, let point = facts.newestPoint else { return forget(&turn) }
        guard !facts.isStopping else {
            if let call { turn.cancel(call.id) }
            return call = nil
        }
        let isDown = facts.phase.phase == .landed
        let metres = isDown ? facts.landing?.altitudeMetres ?? point.altitudeMetres : point.altitudeMetres
        askForLine(from: facts.car, to: point.coordinate, sondeMetres: metres, &turn)
        askForRing(around: point.coordinate, at: metres, &turn)
    }

    private mutating func askForLine(
        from car: CarPosition?, to sonde: Coordinate, sondeMetres: Double, _ turn: inout Turn
    ) {
        guard let car else { return (isClear, line) = (nil, nil) }
        let next = SightLine(
            from: car.coordinate, carMetres: car.altitudeMetres, to: sonde, sondeMetres: sondeMetres)
        let isNew = line.map(next.isFar) ?? true
        guard isNew || isClear == nil else { return }
        guard isDue(lineAt, after: isNew ? Self.lineInterval : Self.ringInterval, at: turn.now.monotonic) else {
            return
        }
        (line, lineAt) = (next, turn.now.monotonic)
        call = (turn.call(.groundAlong([next.ground]), for: .sight), .line(next))
    }

    private mutating func askForRing(around sonde: Coordinate, at metres: Double, _ turn: inout Turn) {
        let isNew =
            ring.map {
                $0.sonde.distanceMetres(to: sonde) >= Self.ringMetres
                    || abs($0.sondeMetres - metres) >= Self.ringMetres
            } ?? true
        guard isNew || horizon == nil, isDue(ringAt, after: Self.ringInterval, at: turn.now.monotonic) else { return }
        let next = RadioHorizon(of: sonde, at: metres)
        (ring, ringAt) = (next, turn.now.monotonic)
        call = (turn.call(.groundAlong(next.lines), for: .sight), .ring(next))
    }

    /// Whether it is time to ask. If it is too early, sets the deadline. While a call runs, its answer comes first.
    private mutating func isDue(_ last: MonotonicTime?, after interval: Duration, at now: MonotonicTime) -> Bool {
        guard call == nil else { return false }
        guard let due = last?.advanced(by: interval), now < due else { return true }
        deadline = .earliest(deadline, due)
        return false
    }

    mutating func answered(_ answer: Answer, _ turn: inout Turn) {
        guard let question = call?.question else { return }
        call = nil
        guard case .terrain(let answer) = answer else { return }
        let heights = answer.lines.map { $0.map { $0 == TerrainPatch.void ? nil : Double($0) } }
        switch question {
        case .line(let line): isClear = heights.first.flatMap { line.isClear(over: $0) }
        case .ring(let horizon):
            guard let serial else { return }
            self.horizon = horizon.ring(over: heights).map {
                HorizonReport(
                    serial: serial, sonde: horizon.sonde, altitudeMetres: horizon.sondeMetres, ring: $0,
                    computedAt: turn.now.wall)
            }
        }
    }

    private mutating func forget(_ turn: inout Turn) {
        if let call { turn.cancel(call.id) }
        (call, line, ring, lineAt, ringAt) = (nil, nil, nil, nil, nil)
        (isClear, horizon) = (nil, nil)
    }
}
