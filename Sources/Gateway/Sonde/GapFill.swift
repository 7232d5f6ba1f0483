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
///     -              failed           tried again after 10, 20, 40, 80 s, or when the
///                                     network is back; what came stays
///     clock set      asked before     fetched again: the wrong clock had measured the gap
///
/// SondeHub's answers come from a cache and are up to two minutes old. A gap is filled only as far as the answer's
/// newest record. The rest stays open:
///
///     gap            newest record    what happens
///     12:00-12:01    12:01 or later   filled
///     12:00-12:01    11:59:30         12:00-12:01 is open
///     12:00-12:01    12:00:20         12:00:20-12:01 is open
///     -              five failures    12:00-12:01 is open
///
/// What is open is fetched with one call, 5 min after the call before. The live stream's gaps join it. After three calls
/// that do not reach its end it is given up.
struct GapFill: Sendable {
    /// A gap is given up after this many fetches that did not reach its end.
    static let mostRounds = 3
    /// One gap is not asked for twice in this time.
    static let spacing = Duration.seconds(300)
    /// If the clock is set by more than this, the gaps are measured anew, milliseconds.
    private static let leastStep: Int64.Magnitude = 30_000
    /// If the first point is higher than this, the flight began earlier; metres above sea level.
    static let groundMetres = 3000.0

    private var download = TrackDownload()
    /// The gap to fetch as soon as SondeHub may be asked.
    private var wanted: TrackGap?
    /// The gap that is being fetched, or was fetched last.
    private var fetched = TrackGap()
    /// The rounds of ``fetched`` before this fetch.
    private var fetchedRounds = 0
    /// What earlier fetches have left open.
    private var rest: OpenGap?
    /// The beginning of the last gap that was asked for, and when.
    private var asked: (since: WallTime?, at: MonotonicTime)?
    /// When a gap of the live stream was last asked for. Later ones wait and are fetched together.
    private var missedAskedAt: MonotonicTime?
    /// The gateway has come back to this sonde. The wanted gap then waits like a repeat of the last one.
    private var isBack = false
    /// When a gap may be asked for again; nil if none waits.
    private var againAt: MonotonicTime?
    /// The clock was set after the gap was measured, so the gap is wrong.
    private var isMismeasured = false
    /// When a gap was last asked for again because the clock was set.
    private var measuredAnewAt: MonotonicTime?
    /// The newest record of the fetches that succeeded. Each second before it is known or belongs to a gap here.
    private(set) var filledUntil: WallTime?

    var calls: Int { download.calls }
    var deadline: MonotonicTime? { .earliest(download.retryAt, againAt) }

    /// A track reaches this much further back than its gap: the stations' clocks are compared with the gateway's by the
    /// frames that the receiver has heard before the gap, and SondeHub counts by the stations' clocks.
    var overlap: Duration {
        get { download.overlap }
        set { download.overlap = newValue }
    }

    // MARK: - The gaps

    /// Requests the points between `start` and `end`.
    /// - Parameters:
    ///   - start: nil for the whole flight.
    ///   - end: nil for the time at which SondeHub is asked.
    mutating func want(since start: WallTime?, until end: WallTime? = nil) {
        let gap = TrackGap(since: start, until: end)
        guard !gap.isEmpty else { return }
        if let start, rest?.gap.contains(start) ?? false {
            rest?.join(gap)
        } else {
            wanted = wanted?.joined(gap) ?? gap
        }
    }

    /// Requests the points that the live stream has missed. The first loss is fetched at once, later ones together.
    mutating func want(missed gap: TrackGap, at now: MonotonicTime) {
        if let start = gap.since, rest?.gap.contains(start) ?? false {
            rest?.join(gap)
        } else if let dueAt = missedAskedAt?.advanced(by: Self.spacing), now < dueAt {
            if rest == nil { rest = OpenGap(gap, rounds: 0, dueAt: dueAt) } else { rest?.join(gap) }
        } else {
            missedAskedAt = now
            want(since: gap.since, until: gap.until)
        }
    }

    /// The wanted gaps reach to `time`: nothing is known before it.
    mutating func extend(to time: WallTime) {
        let end = TrackGap(since: time, until: time)
        if download.isRunning { fetched = fetched.joined(end) }
        rest?.join(end)
    }

    /// An earlier run has recorded the flight: only the points after `start` are missing.
    mutating func resume(since start: WallTime) {
        if isWanted { wanted = TrackGap(since: start) }
    }

    /// SondeHub has the sonde under another name, so its answers about the old name fill nothing.
    mutating func restart(since start: WallTime?, _ turn: inout Turn) {
        leave(&turn)
        let gap = TrackGap(since: start)
        wanted = [wanted, rest?.gap].compactMap { $0 }.reduce(gap) { $0.joined($1) }
        (rest, asked) = (nil, nil)
    }

    var isWanted: Bool { wanted != nil }

    /// Fetches the wanted gap, if there is one, and what is open when its time has come.
    /// - Parameter newest: the newest known time of the sonde.
    mutating func askForWanted(of serial: SondeSerial, newest: WallTime?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        againAt = nil
        if !download.isRunning, let due = rest, now >= due.dueAt {
            rest = nil
            missedAskedAt = now
            let rounds = wanted == nil ? due.rounds : 0
            return ask(wanted?.joined(due.gap) ?? due.gap, rounds: rounds, of: serial, newest: newest, &turn)
        }
        if !download.isRunning { againAt = rest?.dueAt }
        guard let gap = wanted else { return }
        if isMismeasured, let due = measuredAnewAt?.advanced(by: Self.spacing), now < due {
            againAt = .earliest(due, againAt)
            return
        }
        if let asked, asked.since == gap.since || isBack, !isMismeasured, !download.isRunning {
            let due = asked.at.advanced(by: Self.spacing)
            if now < due {
                againAt = .earliest(due, againAt)
                return
            }
        }
        againAt = nil
        ask(gap, rounds: 0, of: serial, newest: newest, &turn)
    }

    /// - Parameter start: earlier times are from an earlier run. Its clock was another one, so they stay.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        fetched.since = fetched.since?.clockSet(byMilliseconds: change, since: start)
        if let gap = wanted { wanted?.since = gap.since?.clockSet(byMilliseconds: change, since: start) }
        if let askedSince = asked?.since {
            asked?.since = askedSince.clockSet(byMilliseconds: change, since: start)
        }
        // A track reaches further back than a small step.
        guard download.calls > 0, change.magnitude > Self.leastStep else { return }
        (filledUntil, isMismeasured) = (nil, true)
        let open = TrackGap(since: rest?.gap.since?.clockSet(byMilliseconds: change, since: start))
        let again = rest == nil ? fetched : fetched.joined(open)
        // The end is measured anew when SondeHub is asked.
        wanted = TrackGap(since: (wanted?.joined(again) ?? again).since)
        rest = nil
    }

    private mutating func ask(
        _ gap: TrackGap, rounds: Int, of serial: SondeSerial, newest: WallTime?, _ turn: inout Turn
    ) {
        (wanted, isBack) = (nil, false)
        var gap = gap
        // Of a whole flight only the part before its first known points is missing.
        gap.until = gap.until ?? (gap.since == nil ? newest : nil) ?? turn.now.wall
        if download.isRunning, !isMismeasured {
            let isStanding = fetched.reachesBack(to: gap)
            gap = gap.joined(fetched)
            if isStanding {
                if gap.until != fetched.until { fetchedRounds = 0 }
                fetched = gap
                return
            }
        }
        stop(&turn)
        if isMismeasured { measuredAnewAt = turn.now.monotonic }
        // One call fetches both.
        if let open = rest, gap.reachesBack(to: open.gap) { (gap, rest) = (gap.joined(open.gap), nil) }
        (fetched, fetchedRounds, isMismeasured) = (gap, rounds, false)
        asked = (gap.since, turn.now.monotonic)
        download.begin(serial, since: gap.since, &turn)
    }

    /// The gateway no longer follows the sonde. The gap that is being fetched is wanted again when it comes back.
    mutating func leave(_ turn: inout Turn) {
        if download.isRunning { wanted = wanted?.joined(fetched) ?? fetched }
        stop(&turn)
    }

    /// The sonde is followed again.
    /// - Parameter known: the time of the newest point.
    mutating func comeBack(since known: WallTime?) {
        isBack = true
        if let known, wanted == nil { want(since: known) }
    }

    /// Cancels the fetch.
    private mutating func stop(_ turn: inout Turn) {
        download.stop(&turn)
        againAt = nil
    }

    // MARK: - The fetch

    /// The live stream delivers again, so the network is back. An attempt that failed for want of it is repeated now.
    mutating func networkIsBack(at now: MonotonicTime) {
        download.networkIsBack(at: now)
    }

    mutating func timePassed(_ serial: SondeSerial, _ turn: inout Turn) {
        if let againAt, turn.now.monotonic >= againAt { self.againAt = nil }
        download.timePassed(serial, since: fetched.since, &turn)
    }

    /// - Returns: the answer, if it answers this part's call; else nil.
    mutating func take(_ reply: Reply, _ turn: inout Turn) -> Result<TrackNews, OnlineServiceError>? {
        download.take(reply, &turn)
    }

    /// Collects a part of the requested track.
    mutating func collect(_ records: [SondeHubRecord]) { download.collect(records) }

    /// Ends the fetch. `error` is nil if the track is whole.
    /// - Returns: the points that came, without repeats.
    mutating func ended(
        _ error: OnlineServiceError?, by clocks: inout StationClocks, heard: ReceiverTimes, _ turn: inout Turn
    ) -> [TrackPoint] {
        let records = download.ended(error, &turn)
        let points = clocks.onOneClock(records, at: turn.now.wall, heard: heard)
        if let error {
            if download.isGivenUp(error) {
                keepOpen(fetched, dueAt: turn.now.monotonic.advanced(by: Self.spacing), &turn)
            }
        } else {
            close(with: points, &turn)
        }
        var repeats = RepeatFilter()
        // Before the gap the track may hold the same frames by another clock.
        let start = clocks.isOnGatewaysClock ? fetched.since : nil
        return points.filter { record in
            if let start, record.stamp != nil, record.point.time < start { return false }
            return !repeats.isRepeat(
                record.point.coordinate, record.point.altitudeMetres, horizontalSpeed: record.horizontalSpeed,
                verticalSpeed: record.verticalSpeed)
        }.map(\.point)
    }

    /// Closes the gaps as far as the answer reaches.
    private mutating func close(with points: [StampedPoint], _ turn: inout Turn) {
        let again = turn.now.monotonic.advanced(by: Self.spacing)
        guard let newest = points.last?.point.time, !beginsLate(points, at: turn.now.monotonic) else {
            return keepOpen(fetched, dueAt: again, &turn)
        }
        filledUntil = max(filledUntil ?? newest, newest)
        if let open = rest, fetched.reachesBack(to: open.gap) { rest = open.rest(after: newest) }
        if let left = fetched.rest(after: newest) { keepOpen(left, dueAt: again, &turn) }
    }

    /// Whether the answer was so late that it may lack the gap's first points.
    private func beginsLate(_ points: [StampedPoint], at now: MonotonicTime) -> Bool {
        guard let since = fetched.since, let first = points.first?.point.time else { return false }
        return download.isLate(at: now) && first.wholeSeconds - since.wholeSeconds > 1
    }

    private mutating func keepOpen(_ gap: TrackGap, dueAt: MonotonicTime, _ turn: inout Turn) {
        let rounds = fetchedRounds + 1
        guard rounds < Self.mostRounds else {
            turn.note(.info, "SondeHub does not have the end of a gap", facts: ["fetches": "\(rounds)"])
            return
        }
        if rest == nil {
            rest = OpenGap(gap, rounds: rounds, dueAt: dueAt)
        } else {
            rest?.join(gap, rounds: rounds)
            rest?.wait(until: dueAt)
        }
    }

    /// If the fetched flight begins in the air, fetches a longer duration, until nothing new comes.
    /// - Parameter gained: the number of new points of the last fetch.
    mutating func widen(
        firstMetres: Double?, gained: Int, of serial: SondeSerial, _ turn: inout Turn
    ) {
        guard fetched.since == nil, gained > 0, let firstMetres, firstMetres > Self.groundMetres else { return }
        download.widen(serial, &turn)
    }
}
