import FlightMath
import GatewayReports
import ReceiverProtocol

/// Fetches from SondeHub the seconds of the followed sonde that the gateway does not know. One call fetches all from the
/// oldest hole on, and only one call runs. A hole before its beginning replaces it; any other one joins it.
///
///     known                     calls            what happens
///     nothing                   -                the whole flight is fetched
///     until 12:00, from 12:10   -                fetched since 12:00
///     until 12:00, from 12:10   since 11:50      stands
///     nothing                   since 12:00      replaced
///     -                         whole, begins    fetched wider: 3 h, 6 h, 12 h …
///                               high in the air
///     -                         failed           tried again after 10, 20, 40, 80 s, or when the
///                                                network is back; what came stays
///     clock set                 asked before     fetched again: the wrong clock had measured the hole
///
/// SondeHub's answers come from a cache and are up to two minutes old. An answer makes known what lies before its newest
/// record. The rest of the hole waits:
///
///     hole           newest record    what happens
///     12:00-12:01    12:01 or later   known
///     12:00-12:01    11:59:30         12:00-12:01 waits
///     12:00-12:01    12:00:20         12:00:20-12:01 waits
///     -              five failures    12:00-12:01 waits
///
/// What waits is fetched with one call, 5 min after the call before. The live stream's losses join it. After three calls
/// that do not reach its end it is given up, and counts as known.
struct GapFill: Sendable {
    /// A hole is given up after this many fetches that did not reach its end.
    static let mostRounds = 3
    /// One hole is not asked for twice in this time.
    static let spacing = Duration.seconds(300)
    /// If the clock is set by more than this, the holes are measured anew, milliseconds.
    private static let leastStep: Int64.Magnitude = 30_000
    /// If the first point is higher than this, the flight began earlier; metres above sea level.
    static let groundMetres = 3000.0
    /// A shorter silence of the receiver is no hole.
    private static let receiverSilence = Duration.seconds(60)
    /// A shorter absence of the live stream is no hole: polls would have brought no more. Nor is one of a recording.
    private static let shortestHole: Int64 = 15
    /// The holes of a recording that ended longer before its last point were given up, seconds.
    private static let recordedHoles: Int64 = 900

    /// The holes that one call fetches, whole seconds since 1970.
    private struct Fetch: Equatable, Sendable {
        /// The first unknown second; `.min` for the whole flight.
        var start: Int64
        /// The end of the last hole.
        var end: Int64
        /// The number of earlier fetches that did not reach ``end``.
        var rounds: Int

        /// The last known time before the holes; nil for the whole flight.
        var since: WallTime? {
            start == .min ? nil : WallTime(millisecondsSince1970: (start &- 1) &* 1000)
        }

        /// Gives both ends another time, because the clock was set.
        mutating func move(_ moved: (Int64) -> Int64) {
            start = moved(start)
            end = max(moved(end), start &+ 1)
        }
    }

    /// The holes that earlier fetches have left, and the live stream's later losses.
    private struct Waiting: Equatable, Sendable {
        /// All holes before this second wait; `.min` if none do.
        var end = Int64.min
        var rounds = 0
        var dueAt = MonotonicTime.zero
    }

    var known = KnownSeconds()
    private var download = TrackDownload()
    /// The holes before this second are to be fetched: `.min` for none, `.max` for all when SondeHub is asked.
    private var wantedEnd = Int64.min
    /// What is being fetched, or was fetched last.
    private var fetched: Fetch?
    private var waiting = Waiting()
    /// One ``spacing`` after SondeHub was last asked.
    private var repeatFrom = MonotonicTime.zero
    /// Losses of the live stream before this time wait and are fetched together.
    private var nextLossFrom = MonotonicTime.zero
    /// What is wanted is not asked for before this time.
    private var notBefore = MonotonicTime.zero
    /// The clock was set after the holes were measured, so they are wrong.
    private var isMismeasured = false
    /// One ``spacing`` after holes were last asked for again because the clock was set.
    private var measureAgainFrom = MonotonicTime.zero
    /// When a hole may be asked for again; nil if none waits.
    private var againAt: MonotonicTime?

    var calls: Int { download.calls }
    var deadline: MonotonicTime? { .earliest(download.retryAt, againAt) }

    /// A track reaches this much further back than its hole: the stations' clocks are compared with the gateway's by the
    /// frames that the receiver has heard before the hole, and SondeHub counts by the stations' clocks.
    var overlap: Duration {
        get { download.overlap }
        set { download.overlap = newValue }
    }

    // MARK: - What is known

    /// The receiver has given a position.
    /// - Parameters:
    ///   - last: the time of its position before; nil if this is the first one.
    ///   - isResumed: whether that was in an earlier run, so that the time between counts as unknown.
    mutating func heard(at time: WallTime, after last: WallTime?, isResumed: Bool) {
        let isSilence = last.map { time.duration(since: $0) >= Self.receiverSilence } ?? false
        if isSilence { want(until: time) }
        let start = isSilence || isResumed ? time : min(last ?? time, time)
        known.insert(start.wholeSeconds..<time.wholeSeconds &+ 1)
    }

    /// The live stream has delivered the frames from `first` through `last`.
    /// - Parameter mayMissSome: whether frames before these may be missing.
    mutating func streamed(
        from first: WallTime, through last: WallTime, mayMissSome: Bool, at now: MonotonicTime
    ) {
        let (start, end) = (first.wholeSeconds, last.wholeSeconds &+ 1)
        let knownEnd = known.end
        known.insert(start..<end)
        if mayMissSome { download.networkIsBack(at: now) }
        guard let knownEnd else {
            // Nothing is known before these frames, so what is wanted reaches to them.
            if mayMissSome { extend(to: start) }
            return
        }
        guard mayMissSome, end &- knownEnd >= Self.shortestHole else {
            return known.insert(min(knownEnd, start)..<start)
        }
        if now < nextLossFrom {
            wait(until: start, rounds: 0, dueAt: isWaiting ? waiting.dueAt : nextLossFrom)
        } else {
            nextLossFrom = now.advanced(by: Self.spacing)
            want(until: last)
        }
    }

    private mutating func extend(to end: Int64) {
        if download.isRunning, let fetch = fetched { fetched?.end = max(fetch.end, end) }
        if isWaiting { waiting.end = max(waiting.end, end) }
    }

    /// An earlier run has recorded these points, sorted by time.
    mutating func resume(_ points: [TrackPoint]) {
        guard let last = points.last?.second else { return }
        var previous = Int64.min
        // In the order of time, whatever the store says.
        for second in points.map(\.second).sorted() {
            let isHole = previous >= last &- Self.recordedHoles && second &- previous >= Self.shortestHole
            known.insert((isHole ? second : previous)..<second &+ 1)
            previous = second
        }
    }

    /// Requests the holes before `end`; nil for the time at which SondeHub is asked.
    mutating func want(until end: WallTime? = nil) {
        wantedEnd = max(wantedEnd, end?.wholeSeconds ?? .max)
    }

    var isWanted: Bool { wantedEnd > .min }
    private var isWaiting: Bool { waiting.end > .min }

    /// SondeHub has the sonde under another name, so its answers about the old name make nothing known.
    /// - Parameter last: when the receiver last heard the sonde; nil if it never did.
    mutating func restart(after last: WallTime?, _ turn: inout Turn) {
        leave(&turn)
        known.remove(from: last.map { $0.wholeSeconds &+ 1 } ?? .min)
        (waiting, notBefore) = (Waiting(), .zero)
        want()
    }

    mutating func clockSet(_ step: ClockStep) {
        func moved(_ second: Int64) -> Int64 {
            guard second > .min else { return second }
            let time = WallTime(millisecondsSince1970: second &* 1000)
            return step.corrected(time).wholeSeconds
        }
        known.move(moved)
        fetched?.move(moved)
        waiting.end = moved(waiting.end)
        // A track reaches further back than a small step.
        guard step.milliseconds.magnitude > Self.leastStep else { return }
        // The end is measured anew when SondeHub is asked.
        if isWanted { want() }
        guard let fetched, download.calls > 0 else { return }
        known.remove(from: fetched.start)
        (waiting, isMismeasured) = (Waiting(), true)
        notBefore = measureAgainFrom
        want()
    }

    // MARK: - The calls

    /// Fetches the wanted holes, if there are any, and those that wait when their time has come.
    /// - Parameter newest: the newest known time of the sonde.
    mutating func askForWanted(of serial: SondeSerial, newest: WallTime?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        againAt = nil
        let wanted = wantedEnd(newest, turn.now.wall)
        if !download.isRunning, isWaiting, now >= waiting.dueAt {
            let due = waiting
            (waiting, nextLossFrom) = (Waiting(), now.advanced(by: Self.spacing))
            return ask(until: max(wanted, due.end), rounds: isWanted ? 0 : due.rounds, of: serial, &turn)
        }
        if !download.isRunning, isWaiting { againAt = waiting.dueAt }
        guard isWanted else { return }
        if now < notBefore {
            againAt = .earliest(notBefore, againAt)
        } else {
            ask(until: wanted, rounds: 0, of: serial, &turn)
        }
    }

    /// When the wanted points end. Of a whole flight only the points before its first known ones are wanted.
    private func wantedEnd(_ newest: WallTime?, _ now: WallTime) -> Int64 {
        guard wantedEnd == .max else { return wantedEnd }
        let isWhole = known.oldestHole(in: .min ..< .max)?.lowerBound == .min
        return (isWhole ? newest ?? now : now).wholeSeconds
    }

    private mutating func ask(until end: Int64, rounds: Int, of serial: SondeSerial, _ turn: inout Turn) {
        wantedEnd = .min
        guard let start = known.oldestHole(in: startAfterWaiting(before: end)..<end)?.lowerBound else {
            isMismeasured = false
            return
        }
        var fetch = Fetch(start: start, end: end, rounds: rounds)
        if download.isRunning, !isMismeasured, let running = fetched {
            fetch.end = max(fetch.end, running.end)
            if start >= running.start {
                if fetch.end != running.end { fetched = Fetch(start: running.start, end: fetch.end, rounds: 0) }
                return
            }
        }
        stop(&turn)
        let spaced = turn.now.monotonic.advanced(by: Self.spacing)
        if isMismeasured { measureAgainFrom = spaced }
        (fetched, isMismeasured, repeatFrom, notBefore) = (fetch, false, spaced, .zero)
        download.begin(serial, since: fetch.since, &turn)
    }

    /// The second from which on holes need not wait; `end` if all must. A hole that goes on from those that wait joins them.
    private mutating func startAfterWaiting(before end: Int64) -> Int64 {
        let held = waiting.end
        guard isWaiting, held < end else { return min(held, end) }
        guard let next = known.oldestHole(in: held &- 1..<end), next.lowerBound <= held, next.upperBound > held else {
            return held
        }
        (waiting.end, waiting.rounds) = (next.upperBound, 0)
        return next.upperBound
    }

    /// The gateway no longer follows the sonde. What is being fetched is wanted again when it comes back.
    mutating func leave(_ turn: inout Turn) {
        if download.isRunning, let fetched { wantedEnd = max(wantedEnd, fetched.end) }
        stop(&turn)
    }

    /// The sonde is followed again. What is wanted waits like a repeat of the last call.
    mutating func comeBack() {
        notBefore = repeatFrom
        if !isWanted { want() }
    }

    /// Cancels the fetch.
    private mutating func stop(_ turn: inout Turn) {
        download.stop(&turn)
        againAt = nil
    }

    mutating func timePassed(_ serial: SondeSerial, _ turn: inout Turn) {
        if turn.now.monotonic.hasReached(againAt) { againAt = nil }
        download.timePassed(serial, since: fetched?.since, &turn)
    }

    // MARK: - The answers

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
        guard let fetched else { return [] }
        if let error {
            if download.isGivenUp(error) { keepOpen(fetched, &turn) }
        } else {
            close(fetched, with: points, &turn)
        }
        var repeats = RepeatFilter()
        // Before the hole the track may hold the same frames by another clock.
        let start = clocks.isOnGatewaysClock ? fetched.since : nil
        return points.filter { record in
            if let start, record.stamp != nil, record.point.time < start { return false }
            return !repeats.isRepeat(
                record.point.coordinate, record.point.altitudeMetres, horizontalSpeed: record.horizontalSpeed,
                verticalSpeed: record.verticalSpeed)
        }.map(\.point)
    }

    /// What lies before the answer's newest point is known.
    private mutating func close(_ fetch: Fetch, with points: [StampedPoint], _ turn: inout Turn) {
        guard let newest = points.last?.point.second, !beginsLate(fetch, points, at: turn.now.monotonic) else {
            return keepOpen(fetch, &turn)
        }
        known.insert(fetch.start..<max(fetch.start, newest &+ 1))
        if known.oldestHole(in: .min..<waiting.end) == nil { waiting = Waiting() }
        if known.oldestHole(in: fetch.start..<fetch.end) != nil { keepOpen(fetch, &turn) }
    }

    /// Whether the answer was so late that it may lack the hole's first points.
    private func beginsLate(_ fetch: Fetch, _ points: [StampedPoint], at now: MonotonicTime) -> Bool {
        guard fetch.start > .min, let first = points.first?.point.second else { return false }
        return download.isLate(at: now) && first > fetch.start
    }

    /// What the fetch has not brought waits, or is given up.
    private mutating func keepOpen(_ fetch: Fetch, _ turn: inout Turn) {
        let rounds = fetch.rounds + 1
        guard rounds < Self.mostRounds else {
            turn.note(.info, "SondeHub does not have the end of a gap", facts: ["fetches": "\(rounds)"])
            return known.insert(fetch.start..<fetch.end)
        }
        wait(until: fetch.end, rounds: rounds, dueAt: turn.now.monotonic.advanced(by: Self.spacing))
    }

    /// The holes before `end` wait, too. The rounds are those of the later end.
    private mutating func wait(until end: Int64, rounds: Int, dueAt: MonotonicTime) {
        let other = waiting.end == end ? waiting.rounds : 0
        if end >= waiting.end { waiting.rounds = max(rounds, other) }
        (waiting.end, waiting.dueAt) = (max(waiting.end, end), max(waiting.dueAt, dueAt))
    }

    /// If the fetched flight begins in the air, fetches a longer duration, until nothing new comes.
    /// - Parameter gained: the number of new points of the last fetch.
    mutating func widen(firstMetres: Double?, gained: Int, of serial: SondeSerial, _ turn: inout Turn) {
        guard fetched?.start == .min, gained > 0, let firstMetres, firstMetres > Self.groundMetres else { return }
        download.widen(serial, &turn)
    }
}
