import FlightMath
import GatewayReports
import ReceiverProtocol

/// Fetches from SondeHub the points of the followed sonde that the gateway has not heard. Only one fetch runs. A new
/// request that reaches further back replaces it; any other request is dropped.
///
///     asked          in flight        what happens
///     since 12:00    -                fetched
///     since 12:10    since 12:00      stands
///     whole flight   since 12:00      replaced
///     -              whole, begins    fetched wider: 3 h, 6 h, 12 h …
///                    high in the air
///     -              failed           tried again after 10, 20, 40, 80 s; what came stays
///     clock set      asked before     fetched again: the wrong clock had measured the gap
struct GapFill: Sendable {
    static let mostAttempts = 5
    private static let firstWait = Duration.seconds(10)
    /// One gap is not asked for twice in this time.
    private static let spacing = Duration.seconds(300)
    /// A track that must show how far the stations' clocks differ from the gateway's reaches this much further back.
    private static let overlap = Duration.seconds(60)
    /// If the first point is higher than this, the flight began earlier; metres above sea level.
    static let groundMetres = 3000.0
    /// The durations for a sonde without any known point, the shortest first.
    private static let wholeFlight: [TrackDuration] = [.threeHours, .sixHours, .halfDay, .day, .threeDays]

    private enum Phase: Equatable {
        case idle
        case asking(CallID)
        case waiting(until: MonotonicTime)
    }

    private struct Gap: Equatable { var since: WallTime? }

    private var phase = Phase.idle
    /// The gap to fetch as soon as SondeHub may be asked.
    private var wanted: Gap?
    /// The last gap that was asked for, and when.
    private var asked: (gap: Gap, at: MonotonicTime)?
    /// The gateway has come back to this sonde. The wanted gap then waits like a repeat of the last one.
    private var isBack = false
    /// When the wanted gap may be asked for again; nil if it need not wait.
    private var againAt: MonotonicTime?
    /// The clock was set after the gap was measured, so the gap is wrong.
    private var isMismeasured = false
    /// The stations' clocks are compared with the gateway's by the frames that the receiver has heard before the gap.
    var comparesClocks = false
    /// The beginning of the gap that is being fetched; nil for the whole flight.
    private var since: WallTime?
    /// The duration for the whole flight, an index of ``wholeFlight``.
    private var width = 0
    private var attempts = 0
    /// The serial of the last call.
    private var fetched: SondeSerial?
    private var records: [StampedPoint] = []
    /// When the last successful fetch ended.
    private(set) var filledUntil: WallTime?
    private(set) var calls = 0

    var deadline: MonotonicTime? { .earliest(retryAt, againAt) }

    private var retryAt: MonotonicTime? { if case .waiting(let until) = phase { until } else { nil } }

    /// Requests the points that SondeHub has heard since `start`; nil requests the whole flight.
    mutating func want(since start: WallTime?) { wanted = Gap(since: start) }

    var isWanted: Bool { wanted != nil }

    /// Fetches the wanted gap, if there is one.
    mutating func askForWanted(of serial: SondeSerial, _ turn: inout Turn) {
        againAt = nil
        guard let gap = wanted else { return }
        if let asked, asked.gap == gap || isBack, !isMismeasured, phase == .idle {
            let due = asked.at.advanced(by: Self.spacing)
            if turn.now.monotonic < due {
                againAt = due
                return
            }
        }
        (wanted, isBack) = (nil, false)
        ask(since: gap.since, of: serial, &turn)
    }

    /// - Parameter start: earlier times are from an earlier run. Its clock was another one, so they stay.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        since = since?.clockSet(byMilliseconds: change, since: start)
        if let gap = wanted { wanted = Gap(since: gap.since?.clockSet(byMilliseconds: change, since: start)) }
        guard calls > 0 else { return }
        (filledUntil, isMismeasured) = (nil, true)
        wanted = wanted ?? Gap(since: since)
    }

    /// Fetches SondeHub's points of `serial` since `start`; nil fetches the whole flight.
    mutating func ask(since start: WallTime?, of serial: SondeSerial, _ turn: inout Turn) {
        if phase != .idle, !isMismeasured {
            guard let standing = since else { return }
            if let start, start >= standing { return }
        }
        stop(&turn)
        (since, width, attempts, isMismeasured) = (start, 0, 0, false)
        asked = (Gap(since: start), turn.now.monotonic)
        fetch(serial, &turn)
    }

    /// The gateway no longer follows the sonde. The gap that is being fetched is wanted again when it comes back.
    mutating func leave(_ turn: inout Turn) {
        if phase != .idle, wanted == nil { wanted = Gap(since: since) }
        stop(&turn)
    }

    /// The sonde is followed again.
    /// - Parameter known: the time of the newest point.
    mutating func comeBack(since known: WallTime?) {
        isBack = true
        if let known, wanted == nil { want(since: known) }
    }

    /// Cancels the fetch.
    mutating func stop(_ turn: inout Turn) {
        if case .asking(let id) = phase { turn.cancel(id) }
        phase = .idle
        againAt = nil
        records = []
    }

    mutating func timePassed(_ serial: SondeSerial, _ turn: inout Turn) {
        if let retryAt, turn.now.monotonic >= retryAt { fetch(serial, &turn) }
    }

    /// Collects a part of the requested track.
    mutating func collect(_ records: [SondeHubRecord], at now: Moment) {
        for record in records where record.serial == fetched && self.records.count < Track.limit {
            guard let record = record.notFromTheFuture(at: now) else { continue }
            self.records.append(StampedPoint(record))
        }
    }

    /// Ends the fetch. `error` is nil if the track is whole.
    /// - Returns: the points that came, without repeats.
    mutating func ended(
        _ error: OnlineServiceError?, by clocks: inout StationClocks, heard: ReceiverTimes, _ turn: inout Turn
    ) -> [TrackPoint] {
        defer { records = [] }
        phase = .idle
        if let error { failed(error, &turn) } else { filledUntil = turn.now.wall }
        var repeats = RepeatFilter()
        let points = clocks.onOneClock(records, at: turn.now.wall, heard: heard)
        // Before the gap the track may hold the same frames by another clock.
        let start = clocks.isOnGatewaysClock ? since : nil
        return points.filter { record in
            if let start, record.stamp != nil, record.point.time < start { return false }
            return !repeats.isRepeat(
                record.point.coordinate, record.point.altitudeMetres, horizontalSpeed: record.horizontalSpeed,
                verticalSpeed: record.verticalSpeed)
        }.map(\.point)
    }

    /// If the fetched flight begins in the air, fetches a longer duration, until nothing new comes.
    /// - Parameter gained: the number of new points of the last fetch.
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
        records = []
        fetched = serial
        let overlap = comparesClocks ? Self.overlap : .zero
        let duration =
            since.map { TrackDuration.covering(turn.now.wall.duration(since: $0) + overlap) } ?? Self.wholeFlight[width]
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
        let asked = error.askedPause
        phase = .waiting(until: turn.now.monotonic.advanced(by: max(wait, asked)))
    }
}

extension SondeHubRecord {
    /// A record that is further ahead of the clock is wrong (specification 4.2).
    private static let future = Duration.seconds(60)

    /// Nil for a record from the future. A record that is only a little ahead gets the present time; otherwise the
    /// receiver's next position would get a time in the future, too.
    func notFromTheFuture(at now: Moment) -> SondeHubRecord? {
        guard time > now.wall else { return self }
        guard time.duration(since: now.wall) <= Self.future else { return nil }
        var record = self
        record.time = now.wall
        return record
    }
}

extension TrackPoint {
    /// A point of the receiver.
    init(_ position: Position, at time: WallTime) {
        self.init(
            time: time, coordinate: position.coordinate, altitudeMetres: position.altitudeMetres, source: .ble)
    }

    /// A point of SondeHub.
    init(_ record: SondeHubRecord) {
        self.init(
            time: record.time, coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            source: .sondehub)
    }
}
