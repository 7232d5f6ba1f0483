import FlightMath
import GatewayReports
import ReceiverProtocol

/// SondeHub as a source: when it is asked, for which sonde, and what is taken from its answers.
struct SondeHub: Sendable {
    private(set) var hunted: HuntedSonde
    private(set) var poll: SondeHubPoll
    /// It has answered in any way, or is never asked.
    private(set) var hasAnswered: Bool
    /// Calls that failed, by reason.
    private(set) var errors: [String: Int] = [:]

    init(_ options: SondeHubOptions) {
        hunted = HuntedSonde(configured: options.hunt)
        poll = SondeHubPoll(options)
        hasAnswered = !options.isEnabled
    }

    var options: SondeHubOptions { poll.settings }
    var deadline: MonotonicTime? { poll.dueAt }

    mutating func timePassed(_ facts: Facts, _ turn: inout Turn) {
        poll.begin(around: place(facts), hunted: wanted(facts, at: turn.now), &turn)
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        poll.setOn(facts.state.polls && facts.hasStarted && !facts.isStopping, at: turn.now.monotonic)
    }

    /// Around the sonde while there is one, else around those who look for one.
    private func place(_ facts: Facts) -> Coordinate? {
        let last = facts.newestPoint?.coordinate
        let isInHand = facts.state != .noTelemetry && facts.state != .startup
        return (isInHand ? last : nil) ?? facts.car?.coordinate ?? options.place ?? last
    }

    /// While the receiver has telemetry its sonde is the hunted one; nil takes the newest.
    func wanted(_ facts: Facts, at now: Moment) -> SondeSerial? {
        facts.hasTelemetry ? facts.serial : hunted.serial(at: now.monotonic)
    }

    // MARK: - Answers

    /// An answer to the poll.
    /// - Returns: what it says of the sonde that matters; nil when it says nothing.
    mutating func answered(_ answer: Answer, _ facts: Facts, _ turn: inout Turn) -> LatestRecord? {
        poll.answered()
        hasAnswered = true
        switch answer {
        case .sondes(let answer): return choose(from: answer, facts, &turn)
        case .failed(let error):
            countError(error)
            turn.note(.warning, "SondeHub gave no answer: \(error.code.rawValue)", ["why": error.detail])
            poll.failed(error, at: turn.now.monotonic)
            return nil
        case .trackPart, .trackEnd, .prediction, .route, .carShared: return nil  // Of no poll.
        }
    }

    mutating func countError(_ error: OnlineServiceError) {
        errors[error.code.rawValue, default: 0] += 1
    }

    private mutating func choose(from answer: SondeHubAnswer, _ facts: Facts, _ turn: inout Turn) -> LatestRecord? {
        let records = answer.records.compactMap { $0.notFromTheFuture(at: turn.now) }
        let skipped = answer.skipped + answer.records.count - records.count
        if skipped > 0 { turn.note(.info, "SondeHub records skipped", ["count": "\(skipped)"]) }
        let wanted = wanted(facts, at: turn.now)
        let candidates = records.map {
            SondeHubChoice.Candidate(record: $0, age: answer.age(of: $0, at: turn.now))
        }
        let rule = SondeHubChoice(hunted: wanted, followed: facts.serial, followedPhase: facts.phase.phase)
        let choice = rule.newest(of: candidates)
        for test in choice.groundTests {
            turn.note(
                .info, "a sonde beside its uploader is a test on the ground",
                ["serial": test.record.serial.canonical, "metres": "\(Int(test.metres))"])
        }
        let latest = choice.record.map { LatestRecord(record: $0, age: answer.age(of: $0, at: turn.now), at: turn.now) }
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

    /// By command; nil lets go. Asks at once.
    mutating func pin(_ serial: SondeSerial?, _ turn: inout Turn) {
        hunted.pin(serial)
        let stored = serial.map { StoredHunt(serial: $0, at: turn.now.wall) }
        turn.record(.setting(.hunt, stored?.text))
        turn.note(.notice, "hunting", ["serial": serial?.canonical ?? "the newest"])
        poll.askNow(at: turn.now.monotonic)
    }

    mutating func recall(_ stored: StoredHunt) {
        hunted.recall(stored.serial, at: stored.at)
    }

    /// What an earlier run has left is over.
    mutating func letGo(ofHunt: Bool, ofLastHeard: Bool) {
        if ofHunt { hunted.letGoOfStored() }
        if ofLastHeard { hunted.letGoOfLastHeard() }
    }
}

extension SondeHubAnswer {
    /// The record's age when SondeHub answered: a cache's delay is not silence.
    func age(of record: SondeHubRecord, at now: Moment) -> Duration {
        max(.zero, now.wall.duration(since: record.time) - timeInCache)
    }

    /// SondeHub's clock now, as far as the answer tells.
    var utc: WallTime? { answeredAt?.advanced(by: timeInCache) }

    /// No cache is believed to hold an answer for longer than this.
    private static let longestInCache = Duration.seconds(1_000_000)

    private var timeInCache: Duration { max(.zero, min(cacheAge, Self.longestInCache)) }
}
