import FlightMath
import GatewayReports
import ReceiverProtocol

/// The sondes around: all that SondeHub's answers hold, with their predicted landings.
///
///     an answer to a poll     its sondes join the list; each keeps its newest record
///     somebody looks          the landings around are asked for once a minute, while a sonde flies
///     24 h after its record   a sonde leaves the list; until then it lies on the ground, to be fetched
struct SondesAround: Equatable, Sendable {
    /// A sonde leaves the list this long after its newest record.
    static let lifetime = Duration.seconds(86_400)
    /// The most sondes that are kept. Beyond that the sondes with the oldest records are dropped.
    static let limit = SondeHubAnswer.limit
    /// Landings are asked for within this distance, metres.
    static let landingMetres = 100_000.0
    /// The time between two calls for landings.
    static let landingInterval = Duration.seconds(60)
    /// A car that moves less changes no report, metres.
    private static let carMetres = 500.0
    /// The report is renewed after this time, because phases and lifetimes change.
    private static let renewal = Duration.seconds(60)

    private struct Entry: Equatable, Sendable {
        var record: SondeHubRecord
        /// The record's instant on the monotonic clock.
        var heardAt: MonotonicTime
        var landing: SondesReport.Landing?
    }

    private let options: SondeHubOptions
    private var known: [SondeSerial: Entry] = [:]
    private(set) var report = SondesReport()
    /// Somebody looks at the page.
    private(set) var isWatched = false
    private var hasNews = false
    private var shown = Shown()
    private var reportedAt: MonotonicTime?
    private(set) var errand = Errand<[SondeLanding]>(
        retry: RetryPauses(first: .seconds(120), longest: .seconds(600)))
    private(set) var deadline: MonotonicTime?
    /// Where the car was last, also while its position is unknown.
    private var lastCar: Coordinate?
    /// The place from which the distances of ``report`` are measured.
    private var reportedCentre: Coordinate?

    /// The facts that the report shows beside SondeHub's records.
    private struct Shown: Equatable, Sendable {
        var serial: SondeSerial?
        var newest: TrackPoint?
        var phase: FlightPhase?
        var landing: Coordinate?
        var recoveries: [SondeSerial: RecoveryState] = [:]
    }

    init(_ options: SondeHubOptions) {
        self.options = options
    }

    /// Where the car was last, else the configured place.
    var centre: Coordinate? { lastCar ?? options.place }

    /// The centre of the list; nil if nobody looks at it.
    var lookedAround: Coordinate? {
        options.isEnabled && !known.isEmpty && (isWatched || options.looksAround) ? centre : nil
    }

    /// SondeHub's newest record of a sonde; nil for an unknown one.
    func record(of serial: SondeSerial) -> SondeHubRecord? { known[serial]?.record }

    /// Whether SondeHub hears a sonde in the air now; false for an unknown one.
    func isInTheAir(_ serial: SondeSerial, at now: MonotonicTime) -> Bool {
        guard let entry = known[serial] else { return false }
        let silence = now.duration(since: entry.heardAt)
        return silence <= SondeHubChoice.keepLimit
            && SondeHubChoice.isInTheAir(
                entry.record.phase(silentFor: silence), atMetres: entry.record.altitudeMetres)
    }

    /// The number of sondes that are kept.
    var count: Int { known.count }

    mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
    }

    // MARK: - Answers

    /// An answer to a poll.
    mutating func add(_ answer: SondeHubAnswer, at now: Moment) {
        for record in answer.records {
            let age = now.wall.duration(since: record.time)
            guard age < Self.lifetime else { continue }
            let old = known[record.serial]
            if let old, old.record.time >= record.time { continue }
            known[record.serial] = Entry(
                record: record, heardAt: now.monotonic.advanced(by: .zero - age), landing: old?.landing)
            hasNews = true
        }
        guard known.count > Self.limit else { return }
        let oldest = known.sorted { $0.value.heardAt < $1.value.heardAt }.prefix(known.count - Self.limit)
        for sonde in oldest { known[sonde.key] = nil }
    }

    /// The answer to a call for landings.
    /// - Returns: the error, if it was one.
    mutating func answered(_ reply: Reply, _ turn: inout Turn) -> OnlineServiceError? {
        switch errand.take(reply, &turn) {
        case .success(let landings):
            for landing in landings where known[landing.serial] != nil {
                known[landing.serial]?.landing = SondesReport.Landing(landing.coordinate, at: landing.at)
                hasNews = true
            }
            return nil
        case .failure(let error):
            turn.note(.info, "SondeHub gave no landings", facts: ["why": error.detail])
            return error
        case nil: return nil  // The answer is another part's.
        }
    }

    // MARK: - The report

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard options.isEnabled, facts.run.hasStarted, !facts.run.isStopping else { return }
        let now = turn.now
        let new = Shown(
            serial: facts.sonde.serial, newest: facts.sonde.newestPoint, phase: facts.sonde.phase.phase,
            landing: facts.sonde.landing?.coordinate, recoveries: facts.sondeHub.recoveries)
        if new != shown, !known.isEmpty { hasNews = true }
        lastCar = facts.road.car?.coordinate ?? lastCar
        let centre = self.centre
        if hasMoved(to: centre) { hasNews = true }
        let interval = hasNews ? SondesReport.spacing : Self.renewal
        let due = reportedAt.map { $0.advanced(by: interval) } ?? now.monotonic
        if known.isEmpty && report.sondes.isEmpty {
            (shown, hasNews) = (new, false)
        } else if now.monotonic >= due {
            (shown, hasNews, reportedAt, reportedCentre) = (new, false, now.monotonic, centre)
            known = known.filter { now.monotonic.duration(since: $0.value.heardAt) < Self.lifetime }
            report = makeReport(facts, around: centre, at: now)
            deadline = now.monotonic.advanced(by: Self.renewal)
        } else {
            deadline = due
        }
        ask(around: centre ?? facts.sonde.newestPoint?.coordinate, &turn)
    }

    private func hasMoved(to centre: Coordinate?) -> Bool {
        guard !known.isEmpty else { return false }
        guard let centre, let reportedCentre else { return (centre == nil) != (reportedCentre == nil) }
        return centre.distanceMetres(to: reportedCentre) >= Self.carMetres
    }

    /// Asks for the landings around if somebody looks and a sonde flies.
    private mutating func ask(around centre: Coordinate?, _ turn: inout Turn) {
        guard isWatched || options.looksAround, let centre, report.sondes.contains(where: { $0.phase != .landed }),
            errand.isDue(every: Self.landingInterval, at: turn.now.monotonic, &deadline)
        else { return }
        errand.ask(.landings(centre, radiusMetres: Self.landingMetres), &turn)
    }

    private func makeReport(_ facts: Facts, around centre: Coordinate?, at now: Moment) -> SondesReport {
        var sondes = known.values.map { entry in
            sonde(of: entry, at: now).completed(by: facts, at: now)
        }
        if let serial = facts.sonde.serial, !sondes.contains(where: \.isHunted), let point = facts.sonde.newestPoint {
            let own = SondesReport.Sonde(
                serial: serial, sondeType: nil, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres,
                phase: facts.sonde.phase.phase, time: point.time, heardAt: now.monotonic)
            sondes.append(own.completed(by: facts, at: now))
        }
        if let centre {
            for index in sondes.indices {
                let way = Geodesic(from: centre, to: sondes[index].coordinate)
                sondes[index].relative = SondesReport.Relative(metres: way.metres, degrees: way.bearingDegrees)
            }
        }
        for index in sondes.indices {
            let state = facts.sondeHub.recoveries[facts.sonde.names.sondeHubName(of: sondes[index].serial)]
            // Nobody recovers a sonde that flies, so such a report is of an earlier flight.
            sondes[index].recovery = sondes[index].phase.isFlying && state != .planned ? nil : state
        }
        // Without a centre the newest comes first. Equal ones are sorted by serial, so that their order stays.
        sondes.sort { left, right in
            let (near, far) = (left.relative?.metres ?? 0, right.relative?.metres ?? 0)
            if near != far { return near < far }
            return left.time == right.time ? left.serial.canonical < right.serial.canonical : left.time > right.time
        }
        var list = Array(sondes.prefix(SondesReport.limit))
        if let hunted = sondes.first(where: \.isHunted), !list.contains(where: \.isHunted) {
            list[list.count - 1] = hunted
        }
        return SondesReport(list)
    }

    private func sonde(of entry: Entry, at now: Moment) -> SondesReport.Sonde {
        let record = entry.record
        var sonde = SondesReport.Sonde(
            serial: record.serial, sondeType: record.reportedType, coordinate: record.coordinate,
            altitudeMetres: record.altitudeMetres,
            phase: record.phase(silentFor: now.monotonic.duration(since: entry.heardAt)), time: record.time,
            heardAt: entry.heardAt)
        sonde.frequencyMHz = record.frequencyMHz
        sonde.verticalSpeed = record.verticalSpeed
        sonde.landing = entry.landing
        return sonde
    }
}

extension SondesReport.Sonde {
    /// The followed sonde, completed by the gateway's own knowledge: the receiver's newer position, the phase and the
    /// landing point. Another sonde stays as it is.
    fileprivate func completed(by facts: Facts, at now: Moment) -> SondesReport.Sonde {
        guard facts.sonde.names.isOnSondeHub(as: serial) else { return self }
        var sonde = self
        sonde.serial = facts.sonde.names.ownName(of: serial)
        sonde.isHunted = true
        if facts.sonde.phase.phase != .unknown { sonde.phase = facts.sonde.phase.phase }
        if let point = facts.sonde.newestPoint, point.time >= time {
            if point.time > time { sonde.verticalSpeed = facts.sonde.verticalSpeed }
            (sonde.coordinate, sonde.altitudeMetres, sonde.time) = (point.coordinate, point.altitudeMetres, point.time)
            sonde.heardAt = now.monotonic.advanced(by: .zero - max(.zero, now.wall.duration(since: point.time)))
        }
        if let landing = facts.sonde.landing {
            sonde.landing = SondesReport.Landing(landing.coordinate, at: landing.landingAt)
        }
        return sonde
    }
}

extension SondeHubRecord {
    /// The phase by one record and the silence since: a falling sonde that is no longer recent has landed, and any other one
    /// that is lost. A test on the ground has none, because nobody has to fetch it.
    func phase(silentFor silence: Duration) -> FlightPhase {
        let candidate = SondeHubChoice.Candidate(record: self, age: silence)
        if SondeHubChoice().groundTest(candidate) != nil { return .unknown }
        let climb = verticalSpeed ?? 0
        let isFalling = climb < -Resting.vertical
        if candidate.isAtRest || Silence(after: silence) == .lost || (isFalling && silence > SondeHubChoice.recent) {
            return .landed
        }
        if isFalling { return .descending(atMetres: altitudeMetres) }
        return climb > Resting.vertical ? .ascending : .unknown
    }
}
