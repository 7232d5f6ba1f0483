import FlightMath
import GatewayReports
import ReceiverProtocol

/// SondeHub as a source of telemetry: decides when to poll, for which sonde, and which record of an answer to use.
struct SondeHub: Sendable {
    private(set) var hunted: HuntedSonde
    var poll: SondeHubPoll
    var stream = SondeHubStream()
    var intake = SondeHubIntake()
    /// SondeHub has answered, even with an error, or is never asked.
    private(set) var hasAnswered: Bool
    /// Whether a sonde was hunted at the last ``follow(_:_:)``.
    private(set) var isHunting = false
    /// The number of failed calls, by reason.
    private(set) var errors: [String: Int] = [:]
    /// Why the last poll got no answer; nil if it got one.
    private(set) var lastError: OnlineServiceError.Code?
    /// The launch site.
    var site: CommandedChoice<ChosenSite>
    /// The followed sonde's frequency by the stations.
    private(set) var frequencies = StationFrequencies()
    /// The log has said that nobody knows where the receiver is.
    private var hasAskedWhere = false

    init(_ options: SondeHubOptions) {
        hunted = HuntedSonde(configured: options.hunt)
        poll = SondeHubPoll(options)
        site = CommandedChoice(ChosenSite(options.site))
        hasAnswered = !options.isEnabled
    }

    var options: SondeHubOptions { poll.settings }
    var deadline: MonotonicTime? { .earliest(poll.dueAt, stream.deadline) }

    mutating func timePassed(_ facts: Facts, _ turn: inout Turn) {
        poll.begin(aims(facts, at: turn.now), &turn)
    }

    private func aims(_ facts: Facts, at now: Moment) -> SondeHubPoll.Aims {
        let wanted = wanted(facts, at: now)
        return SondeHubPoll.Aims(
            site: site.value.number, place: place(facts), hunted: wanted.map { facts.sonde.names.sondeHubName(of: $0) })
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        isHunting = hunted.serial(at: turn.now.monotonic) != nil
        let isOn = facts.state.polls && facts.run.hasStarted && !facts.run.isStopping
        poll.setOn(isOn, at: turn.now.monotonic)
        stream.follow(isOn && options.isEnabled && options.streams ? streamed(facts, at: turn.now) : nil, &turn)
        poll.relieve(stream.isDelivering, at: turn.now.monotonic)
        let canAsk = !aims(facts, at: turn.now).areNone
        poll.follow(canAsk: canAsk, at: turn.now.monotonic)
        guard isOn, options.isEnabled, !canAsk, !hasAskedWhere, facts.state == .noTelemetry else { return }
        hasAskedWhere = true
        turn.note(
            .notice, "SondeHub is not asked: nobody has said where this receiver is; give it a GPS, or run setup")
    }

    /// Stations have heard the followed sonde.
    mutating func learn(frequencyOf records: [SondeHubRecord], at now: MonotonicTime) {
        for record in records { frequencies.learn(record, at: now) }
    }

    /// The sonde to stream, by SondeHub's name: the hunted one, or the chosen one while it is recent. A sonde that
    /// landed long ago is not worth a connection.
    private func streamed(_ facts: Facts, at now: Moment) -> SondeSerial? {
        let hunted = hunted.serial(at: now.monotonic)
        let isRecent =
            facts.sonde.newestPoint.map { now.wall.duration(since: $0.time) <= SondeHubChoice.recent } ?? false
        guard hunted == nil || hunted == facts.sonde.serial else { return hunted }
        return hunted != nil || isRecent ? facts.sonde.sondeHubSerial : nil
    }

    /// The centre of an area poll: the car or the configured place. If neither is known, the sonde.
    private func place(_ facts: Facts) -> Coordinate? {
        facts.road.car?.coordinate ?? options.place ?? facts.sonde.newestPoint?.coordinate
    }

    /// The wanted sonde: the receiver's while it has telemetry, else the hunted one, else the one that the stream
    /// delivers, unless it is on the ground; nil for the newest.
    func wanted(_ facts: Facts, at now: Moment) -> SondeSerial? {
        if facts.receiver.givesPositions { return facts.sonde.serial }
        let isStreamed =
            stream.isDelivering && facts.sonde.phase.phase != .landed && facts.sonde.phase.reason != .onGround
        return hunted.serial(at: now.monotonic) ?? (isStreamed ? facts.sonde.serial : nil)
    }

    // MARK: - Answers

    /// Handles the answer to a poll.
    /// - Returns: the record to use; nil if there is none.
    mutating func answered(
        _ answer: Result<SondeHubAnswer, OnlineServiceError>, knowing facts: Facts, _ turn: inout Turn
    ) -> LatestRecord? {
        hasAnswered = true
        switch answer {
        case .success(let answer):
            lastError = nil
            return choose(from: answer, knowing: facts, &turn)
        case .failure(let error):
            countError(error)
            lastError = error.code
            turn.note(.warning, "SondeHub gave no answer: \(error.code.rawValue)", facts: ["why": error.detail])
            poll.failed(at: turn.now.monotonic)
            return nil
        }
    }

    mutating func countError(_ error: OnlineServiceError) {
        errors[error.code.rawValue, default: 0] += 1
    }

    private mutating func choose(
        from answer: SondeHubAnswer, knowing facts: Facts, _ turn: inout Turn
    ) -> LatestRecord? {
        if answer.skipped > 0 { turn.note(.info, "SondeHub records skipped", facts: ["count": "\(answer.skipped)"]) }
        let wanted = wanted(facts, at: turn.now)
        let candidates = answer.records.map {
            SondeHubChoice.Candidate(record: $0, age: answer.age(of: $0, at: turn.now))
        }
        let rule = SondeHubChoice(
            hunted: wanted, followed: facts.sonde.serial, followedPhase: facts.sonde.phase.phase,
            place: facts.receiver.place)
        let choice = rule.newest(of: candidates)
        for test in choice.groundTests {
            turn.note(
                .info, "a sonde beside its uploader is a test on the ground",
                facts: ["serial": test.record.serial.canonical, "metres": "\(Int(test.metres))"])
        }
        let latest = choice.record.map {
            LatestRecord(record: $0, age: answer.age(of: $0, at: turn.now), at: turn.now)
        }
        let tests = choice.groundTests.map { answer.age(of: $0.record, at: turn.now) }
        poll.succeeded(
            newest: latest?.age, groundTest: tests.min(), canAskArea: place(facts) != nil, isHunting: wanted != nil,
            at: turn.now.monotonic)
        return latest
    }

    // MARK: - The hunt

    mutating func heard(_ serial: SondeSerial, at now: MonotonicTime) {
        hunted.heard(serial, at: now)
    }

    mutating func told(_ serial: SondeSerial, at now: MonotonicTime) {
        hunted.told(serial, at: now)
    }

    /// Hunts a sonde by a command, and polls at once. Nil ends the hunt.
    mutating func pin(_ serial: SondeSerial?, _ turn: inout Turn) {
        hunted.pin(serial)
        turn.store(serial.map { StoredHunt(serial: $0, at: turn.now.wall) }, as: .hunt)
        turn.note(.notice, "hunting", facts: ["serial": serial?.canonical ?? "the newest"])
        poll.askNow(at: turn.now.monotonic)
    }

    /// Asks for another launch site by a command, at once. Nil restores the configured one.
    mutating func choose(site number: String?, _ turn: inout Turn) {
        site.change(to: number.map { ChosenSite($0) })
        turn.store(number.map { _ in site.stored }, as: .site)
        poll.askNow(at: turn.now.monotonic)
    }

    mutating func recall(_ stored: StoredHunt) {
        hunted.recall(stored.serial, at: stored.at)
    }

    /// Ends the hunt, or the interest in the last heard sonde, of an earlier run.
    mutating func letGo(ofHunt: Bool, ofLastHeard: Bool) {
        if ofHunt { hunted.letGoOfStored() }
        if ofLastHeard { hunted.letGoOfLastHeard() }
    }
}

extension SondeHubAnswer {
    /// The record's age when SondeHub answered. The time in a cache does not count.
    func age(of record: SondeHubRecord, at now: Moment) -> Duration {
        max(.zero, now.wall.duration(since: record.time) - timeInCache)
    }

    /// SondeHub's time now; nil if the answer does not say.
    var utc: WallTime? { answeredAt?.advanced(by: timeInCache) }

    /// The longest time that an answer may have been in a cache.
    private static let longestInCache = Duration.seconds(1_000_000)

    private var timeInCache: Duration { max(.zero, min(cacheAge, Self.longestInCache)) }
}
