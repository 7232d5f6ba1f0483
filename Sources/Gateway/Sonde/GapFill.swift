import FlightMath
import GatewayReports
import ReceiverProtocol

/// Fetches from SondeHub what the gateway has not heard of the followed sonde. One fetch at a time: one that reaches
/// further back stands, one that is wider replaces it.
///
///     asked          in flight        what happens
///     since 12:00    -                fetched
///     since 12:10    since 12:00      stands
///     whole flight   since 12:00      replaced
///     -              whole, begins    fetched wider: 3 h, 6 h, 12 h …
///                    high in the air
///     -              failed           tried again after 10, 20, 40, 80 s; what came stays
///     clock set      asked before     fetched again: the wrong clock had measured the gap
struct GapFill: Equatable, Sendable {
    static let mostAttempts = 5
    private static let firstWait = Duration.seconds(10)
    private static let longestWait = Duration.seconds(3600)
    /// A flight whose first point is higher than this began before (metres above the sea).
    static let groundMetres = 3000.0
    /// For a sonde of which nothing is known, narrowest first.
    private static let wholeFlight: [TrackDuration] = [.threeHours, .sixHours, .halfDay, .day, .threeDays]

    private enum Phase: Equatable {
        case idle
        case asking(CallID)
        case waiting(until: MonotonicTime)
    }

    private struct Gap: Equatable { var since: WallTime? }

    private var phase = Phase.idle
    /// Asked for as soon as SondeHub may be.
    private var wanted: Gap?
    /// What is asked or was, was measured by a clock that has been set since.
    private var isMismeasured = false
    /// Where the gap begins; nil for the whole flight.
    private var since: WallTime?
    /// How wide the whole flight is fetched, an index of ``wholeFlight``.
    private var width = 0
    private var attempts = 0
    private var points: [TrackPoint] = []
    /// Up to here a fetch has succeeded.
    private(set) var filledUntil: WallTime?
    private(set) var calls = 0

    var deadline: MonotonicTime? { if case .waiting(let until) = phase { until } else { nil } }

    /// What SondeHub has heard since then is missing; nil for the whole flight.
    mutating func want(since start: WallTime?) { wanted = Gap(since: start) }

    var isWanted: Bool { wanted != nil }

    /// Asks for what is missing, if anything is.
    mutating func askForWanted(of serial: SondeSerial, _ turn: inout Turn) {
        guard let gap = wanted else { return }
        wanted = nil
        ask(since: gap.since, of: serial, &turn)
    }

    /// - Parameter start: times before are from an earlier run, whose clock is not meant.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        since = since?.clockSet(byMilliseconds: change, since: start)
        if let gap = wanted { wanted = Gap(since: gap.since?.clockSet(byMilliseconds: change, since: start)) }
        guard calls > 0 else { return }
        (filledUntil, isMismeasured) = (nil, true)
        wanted = wanted ?? Gap(since: since)
    }

    /// Asks for what SondeHub has heard of `serial` since then; nil for the whole flight.
    mutating func ask(since start: WallTime?, of serial: SondeSerial, _ turn: inout Turn) {
        if phase != .idle, !isMismeasured {
            guard let standing = since else { return }
            if let start, start >= standing { return }
        }
        stop(&turn)
        (since, width, attempts, isMismeasured) = (start, 0, 0, false)
        fetch(serial, &turn)
    }

    /// Nothing more is asked.
    mutating func stop(_ turn: inout Turn) {
        if case .asking(let id) = phase { turn.cancel(id) }
        phase = .idle
        points = []
    }

    mutating func timePassed(_ serial: SondeSerial, _ turn: inout Turn) {
        if let deadline, turn.now.monotonic >= deadline { fetch(serial, &turn) }
    }

    /// A part of the track that was asked for.
    mutating func collect(_ records: [SondeHubRecord], of serial: SondeSerial, at now: Moment) {
        for record in records where record.serial == serial && points.count < Track.limit {
            guard let record = record.notFromTheFuture(at: now) else { continue }
            points.append(TrackPoint(record))
        }
    }

    /// The track has ended, whole (nil) or not.
    /// - Returns: what came of it.
    mutating func ended(_ error: OnlineServiceError?, _ turn: inout Turn) -> [TrackPoint] {
        defer { points = [] }
        phase = .idle
        if let error { failed(error, &turn) } else { filledUntil = turn.now.wall }
        return points
    }

    /// A whole flight that came begins in the air: asks for what was before, until there is no more to be had.
    /// - Parameter gained: points that the fetch has brought.
    mutating func widen(
        firstMetres: Double?, gained: Int, of serial: SondeSerial, _ turn: inout Turn
    ) {
        guard phase == .idle, since == nil, filledUntil != nil, gained > 0, width + 1 < Self.wholeFlight.count,
            let firstMetres, firstMetres > Self.groundMetres
        else { return }
        width += 1
        attempts = 0
        fetch(serial, &turn)
    }

    private mutating func fetch(_ serial: SondeSerial, _ turn: inout Turn) {
        attempts += 1
        calls += 1
        points = []
        let duration =
            since.map { TrackDuration.covering(turn.now.wall.duration(since: $0)) } ?? Self.wholeFlight[width]
        phase = .asking(turn.call(.track(serial, duration), for: .gapFill))
    }

    private mutating func failed(_ error: OnlineServiceError, _ turn: inout Turn) {
        turn.note(.warning, "track download incomplete: \(error.code.rawValue)", facts: ["why": error.detail])
        switch error.code {
        case .refused, .redirect, .tooLarge, .cancelled: return
        case .unreachable, .timedOut, .tls, .status, .rateLimited, .malformed: break
        }
        guard attempts < Self.mostAttempts else { return }
        let wait = SondeHubPoll.spread(Self.firstWait * (1 << (attempts - 1)), by: turn.now.monotonic)
        let asked = min(error.retryAfter ?? .zero, Self.longestWait)
        phase = .waiting(until: turn.now.monotonic.advanced(by: max(wait, asked)))
    }
}

extension SondeHubRecord {
    /// Further ahead of the clock than this, a record is wrong (specification 4.2).
    private static let future = Duration.seconds(60)

    /// Nil for a record from the future. What is ahead of the clock by less is of now: a time that has not come yet
    /// would stamp whatever the receiver hears next.
    func notFromTheFuture(at now: Moment) -> SondeHubRecord? {
        guard time > now.wall else { return self }
        guard time.duration(since: now.wall) <= Self.future else { return nil }
        var record = self
        record.time = now.wall
        return record
    }
}

extension TrackPoint {
    /// The receiver's.
    init(_ position: Position, at time: WallTime) {
        self.init(
            time: time, coordinate: position.coordinate, altitudeMetres: position.altitudeMetres, source: .ble)
    }

    /// SondeHub's.
    init(_ record: SondeHubRecord) {
        self.init(
            time: record.time, coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            source: .sondehub)
    }
}
