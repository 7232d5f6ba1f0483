import FlightMath
import GatewayReports
import ReceiverProtocol

/// Reports the recovery of sondes to SondeHub, and follows what others report.
///
///     a command          waits in the ledger, which the store keeps, for 14 days at most; for the right time, if the
///                        clock is not set, for 10 minutes at most
///     it waits           it is sent; after a failure again, 30 s later and then more and more seldom
///     it was sent, but   SondeHub is first asked whether it has the report, so that none stands there twice
///       no answer came
///     SondeHub takes it  an event says so; the flight's record keeps it
///     SondeHub refuses   an event gives SondeHub's sentence
///
/// Others' reports of the followed sonde are asked for every 2 minutes below 5 km and on the ground. While the live
/// stream brings them, one question for each of its connections finds the earlier reports. A report is announced once,
/// also over restarts, and at most one in 5 minutes (``RecoveryNews``).
struct RecoveryDesk: Sendable {
    /// A report that can't be sent for this long is dropped.
    static let lifetime = Duration.seconds(14 * 86_400)
    /// The time between two questions for the followed sonde.
    static let interval = Duration.seconds(120)
    /// The same once somebody has recovered the sonde, while the live stream brings the reports, and when nobody has
    /// heard or hunted the sonde for hours.
    static let settledInterval = Duration.seconds(900)
    /// The time between two questions for all sondes around.
    static let areaInterval = Duration.seconds(600)
    /// Others' reports are asked for below this altitude, metres.
    static let lowMetres = 5000.0
    /// A low sonde without a phase counts as down after this time without a new point.
    fileprivate static let unmovedTime = Duration.seconds(30)
    /// A report waits this long for the right time, because SondeHub would keep a wrong one for ever.
    private static let dateWait = Duration.seconds(600)
    /// A plan may be this much older than the first point of the flight.
    private static let planAhead = Duration.seconds(9000)
    /// The most sondes whose newest report is kept.
    private static let newestLimit = 256

    /// The purpose of a call to SondeHub.
    private enum Step: Equatable, Sendable {
        case send(Recovery)
        /// Ask whether SondeHub has the report that was sent before.
        case check(Recovery)
    }

    private enum SendAnswer: AnswerValue {
        case known([Recovery])
        case taken

        init?(_ answer: Answer) {
            if let known = [Recovery](answer) {
                self = .known(known)
            } else if case .recoveryTaken = answer {
                self = .taken
            } else {
                return nil
            }
        }
    }

    private struct Question: Equatable, Sendable {
        var serial: SondeSerial?
        /// The live stream's connection at that time.
        var session: Int?
    }

    /// The name under which reports are public; nil if none are made.
    let callSign: String?
    private let isEnabled: Bool
    private(set) var ledger = RecoveryLedger()
    /// The newest report of each sonde.
    private(set) var newest: [SondeSerial: Recovery] = [:]
    private var news = RecoveryNews()
    /// The followed sonde, once somebody has recovered it. SondeHub is then asked less often.
    private var recovered: SondeSerial?
    private var sending = Errand<SendAnswer>(
        retry: RetryPauses(first: .seconds(30), longest: .seconds(600)), isSpread: true)
    /// The last call of ``sending``; nil before the first.
    private var step: Step?
    private var asking = Errand<[Recovery]>()
    /// The last call of ``asking``; nil before the first.
    private var asked: Question?
    private var askingArea = Errand<[Recovery]>()
    private(set) var deadline: MonotonicTime?

    init(_ options: SondeHubOptions) {
        callSign = options.callSign
        isEnabled = options.isEnabled
    }

    var calls: Int { sending.count + asking.count + askingArea.count }

    /// The newest reports' states.
    private(set) var states: [SondeSerial: RecoveryState] = [:]

    // MARK: - Commands

    /// Puts a report into the ledger. It is sent as soon as there is a network, perhaps at once.
    /// - Parameter isDated: whether the clock is right.
    mutating func report(_ recovery: Recovery, isDated: Bool, _ turn: inout Turn) throws(CommandRefusal) {
        guard ledger.add(recovery, undatedSince: isDated ? nil : turn.now) else {
            throw CommandRefusal(.busy, "\(RecoveryLedger.limit) reports wait for the network already")
        }
        turn.note(
            .notice, "a report of recovery waits for SondeHub, where it becomes public",
            facts: ["serial": recovery.serial.canonical, "as": recovery.by])
        save(&turn)
    }

    /// Cancels the reports that were not sent yet.
    mutating func cancel(_ turn: inout Turn) throws(CommandRefusal) {
        guard ledger.removeUnsent() > 0 else {
            throw CommandRefusal(.unavailable, "no report of recovery waits; SondeHub keeps what it has")
        }
        save(&turn)
    }

    // MARK: - Memory

    mutating func recall(_ stored: StoredRecoveries?, _ turn: inout Turn) {
        guard let stored else { return }
        let own = ledger
        ledger.join(RecoveryLedger(stored, at: turn.now))
        if own != RecoveryLedger() { save(&turn) }
    }

    private func save(_ turn: inout Turn) {
        turn.store(ledger.stored, as: .recoveries)
    }

    // MARK: - Time

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard isEnabled, facts.run.hasStarted, !facts.run.isStopping else { return }
        if ledger.date(by: turn.clock, isRight: facts.run.isTimeKnown) { save(&turn) }
        dropOld(&turn)
        sayNews(facts, &turn)
        send(&turn)
        ask(facts, &turn)
        askArea(facts, &turn)
    }

    private mutating func dropOld(_ turn: inout Turn) {
        guard !sending.isOut, turn.now.isClockSynced, let first = ledger.queue.first?.recovery,
            turn.now.wall.duration(since: first.time) > Self.lifetime
        else { return }
        ledger.remove(first)
        turn.announce(.recoveryRejected(first.serial, .expired, why: "it has waited for 14 days"))
        save(&turn)
    }

    private mutating func send(_ turn: inout Turn) {
        guard !sending.isOut, let first = ledger.queue.first else { return }
        if let due = first.undatedSince?.monotonic.advanced(by: Self.dateWait), turn.now.monotonic < due {
            deadline = .earliest(deadline, due)
            return
        }
        guard sending.isDue(at: turn.now.monotonic, &deadline) else { return }
        if first.isTried {
            step = .check(first.recovery)
            sending.ask(.recoveries(.sonde(first.recovery.serial)), &turn)
        } else {
            put(first.recovery, &turn)
        }
    }

    private mutating func put(_ recovery: Recovery, _ turn: inout Turn) {
        step = .send(recovery)
        ledger.markTried(recovery)
        save(&turn)
        sending.ask(.reportRecovery(recovery), &turn)
    }

    /// Asks for others' reports of the followed sonde.
    private mutating func ask(_ facts: Facts, _ turn: inout Turn) {
        guard !askingArea.isOut, let serial = facts.sonde.sondeHubSerial,
            facts.isLowOrLanded(at: turn.now.wall)
        else { return }
        let isStreamed = facts.sondeHub.streamSession != nil && asked?.session == facts.sondeHub.streamSession
        let isSettled = recovered == serial || isStreamed || facts.isLongOver(at: turn.now.wall)
        let interval = isSettled ? Self.settledInterval : Self.interval
        if asked?.serial != serial { asking.hurry() }
        guard asking.isDue(every: interval, at: turn.now.monotonic, &deadline) else { return }
        asked = Question(serial: serial, session: facts.sondeHub.streamSession)
        asking.ask(.recoveries(.sonde(serial)), &turn)
    }

    /// Asks for the reports of all sondes around while somebody looks at their list.
    private mutating func askArea(_ facts: Facts, _ turn: inout Turn) {
        guard !asking.isOut, let centre = facts.sondeHub.lookedAround,
            askingArea.isDue(every: Self.areaInterval, at: turn.now.monotonic, &deadline)
        else { return }
        askingArea.ask(.recoveries(.area(centre, radiusMetres: SondesAround.landingMetres)), &turn)
    }

    // MARK: - Answers

    /// The answer to a question for others' reports.
    mutating func learned(_ reply: Reply, knowing facts: Facts, _ turn: inout Turn) {
        switch asking.take(reply, &turn) ?? askingArea.take(reply, &turn) {
        case .success(let recoveries): learn(recoveries, knowing: facts, &turn)
        case .failure(let error): turn.note(.info, "SondeHub gave no reports of recovery", facts: ["why": error.detail])
        case nil: break  // The answer is another part's.
        }
    }

    /// Follows the reports that SondeHub has.
    mutating func learn(_ recoveries: [Recovery], knowing facts: Facts, _ turn: inout Turn) {
        for recovery in recoveries.sorted(by: { $0.time < $1.time }) { learn(recovery, knowing: facts, &turn) }
    }

    private mutating func learn(_ recovery: Recovery, knowing facts: Facts, _ turn: inout Turn) {
        let serial = facts.localSerial(of: recovery.serial)
        guard serial == nil || isOfThisFlight(recovery, facts) else { return }
        let known = newest[recovery.serial]
        // Nobody can have found a sonde that is in the air. Such a report is announced only after the landing.
        let isPremature = recovery.state != .planned && facts.wasInAir(at: turn.now.wall, within: Silence.silent.begins)
        if keep(recovery), serial != nil {
            recovered = recovery.state == .recovered && !isPremature ? recovery.serial : nil
        }
        // A newer report of our own does not hide another crew's report.
        let isOvertaken = known.map { $0.time > recovery.time && $0.by != callSign } ?? false
        guard let serial, !isOvertaken, !isPremature, recovery.by != callSign, ledger.isNews(recovery),
            news.add(recovery)
        else { return }
        turn.record(.recovery(serial, recovery))
    }

    /// Announces another person's report when it is due.
    private mutating func sayNews(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard let next = news.next({ facts.localSerial(of: $0) != nil }, at: now, &deadline) else { return }
        if !ledger.repeats(next) {
            news.wasSaid(next, at: now)
            turn.announce(.recoveryReported(next, isOwn: false))
        }
        ledger.tell(next)
        save(&turn)
    }

    /// Whether a report is of this flight. Sondes are launched again, so a report from before this flight is of an
    /// earlier one.
    private func isOfThisFlight(_ recovery: Recovery, _ facts: Facts) -> Bool {
        guard let start = facts.sonde.seenInAirFrom, facts.run.isTimeKnown else { return true }
        return start.duration(since: recovery.time) <= (recovery.state == .planned ? Self.planAhead : .zero)
    }

    /// - Returns: false if a newer report of this sonde is known.
    private mutating func keep(_ recovery: Recovery) -> Bool {
        if let known = newest[recovery.serial], known.time > recovery.time { return false }
        newest[recovery.serial] = recovery
        states[recovery.serial] = recovery.state
        if newest.count > Self.newestLimit, let oldest = newest.min(by: { $0.value.time < $1.value.time }) {
            (newest[oldest.key], states[oldest.key]) = (nil, nil)
        }
        return true
    }

    /// The answer to a report, or to the question whether SondeHub has it.
    mutating func sent(_ reply: Reply, knowing facts: Facts, _ turn: inout Turn) {
        guard let answer = sending.take(reply, &turn), let step else { return }
        let (recovery, isCheck) =
            switch step {
            case .send(let recovery): (recovery, false)
            case .check(let recovery): (recovery, true)
            }
        switch answer {
        case .success(.taken): arrived(recovery, knowing: facts, &turn)
        case .success(.known(let known)):
            if known.contains(where: { $0.isSame(as: recovery) }) {
                arrived(recovery, knowing: facts, &turn)
            } else {
                put(recovery, &turn)
            }
        case .failure(let error) where error.code == .refused && !isCheck:
            sending.beginAnew()
            ledger.remove(recovery)
            // The server's words for a sonde that it does not know.
            let isUnknown = error.detail.contains("not found")
            turn.announce(
                .recoveryRejected(recovery.serial, isUnknown ? .unknownSonde : .refused, why: error.detail))
            turn.note(.warning, "SondeHub refuses a report of recovery", facts: ["why": error.detail])
            save(&turn)
        case .failure(let error):
            // SondeHub can't have received it, so it can still be cancelled or replaced.
            if error.code == .unreachable, !isCheck {
                ledger.markUnsent(recovery)
                save(&turn)
            }
            turn.note(.info, "SondeHub has not taken the report of recovery; retrying", facts: ["why": error.detail])
        }
    }

    private mutating func arrived(_ recovery: Recovery, knowing facts: Facts, _ turn: inout Turn) {
        ledger.remove(recovery)
        // Another crew's report may be newer: ours has waited for the network.
        if keep(recovery), recovery.state == .recovered { recovered = recovery.serial }
        turn.announce(.recoveryReported(recovery, isOwn: true))
        turn.record(.recovery(facts.localSerial(of: recovery.serial) ?? recovery.serial, recovery))
        save(&turn)
    }

    // MARK: - The report

    /// The newest report of the followed sonde and this flight; nil if there is none.
    func report(_ facts: Facts) -> RecoveryReport? {
        guard let serial = facts.sonde.serial else { return nil }
        let name = facts.sonde.names.sondeHubName(of: serial)
        let waiting = ledger.queue.last { $0.recovery.serial == name }?.recovery
        let known = newest[name].flatMap { isOfThisFlight($0, facts) ? $0 : nil }
        if let waiting, waiting.time >= known?.time ?? waiting.time {
            return RecoveryReport(serial: serial, waiting, isOwn: true, isQueued: true)
        }
        return known.map { RecoveryReport(serial: serial, $0, isOwn: $0.by == callSign, isQueued: false) }
    }
}

extension Facts {
    /// Whether the followed sonde is on the ground, or is below 5 km and does not climb. A single record gives no
    /// phase, so a low sonde without a phase counts after 30 s without a new point.
    fileprivate func isLowOrLanded(at now: WallTime) -> Bool {
        guard sonde.phase.phase != .landed else { return true }
        guard let point = sonde.newestPoint, point.altitudeMetres < RecoveryDesk.lowMetres else { return false }
        return switch sonde.phase.phase {
        case .landed, .descendingBelow10k: true
        case .unknown:
            state.hasTelemetry
                && (sonde.phase.reason == .onGround || now.duration(since: point.time) >= RecoveryDesk.unmovedTime)
        case .ascending, .descendingAbove10k: false
        }
    }

    /// Whether no source has heard the followed sonde for hours, and nobody hunts it.
    fileprivate func isLongOver(at now: WallTime) -> Bool {
        guard let point = sonde.newestPoint, !sondeHub.isHunting else { return false }
        return Silence(after: now.duration(since: point.time)) == .lost
    }

    /// Whether the newest place of the followed sonde is in the air, and not older than `limit`. A repeated answer of
    /// SondeHub brings no new place. The first record gives no phase, but a height. Without a place the sonde may be in
    /// the air until the sources have answered; afterwards nobody hears it, and reports of it count.
    fileprivate func wasInAir(at now: WallTime, within limit: Duration) -> Bool {
        guard let newest = sonde.newestPoint else { return state == .startup }
        let isHigh = sonde.phase.phase == .unknown && newest.altitudeMetres >= RecoveryDesk.lowMetres
        return (sonde.phase.phase.isFlying || isHigh) && now.duration(since: newest.time) < limit
    }

    /// The followed sonde's serial, if `name` is its serial or SondeHub's name for it; else nil.
    fileprivate func localSerial(of name: SondeSerial) -> SondeSerial? {
        sonde.names.isOnSondeHub(as: name) ? sonde.serial : nil
    }
}
