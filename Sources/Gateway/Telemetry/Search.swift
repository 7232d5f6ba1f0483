import FlightMath
import GatewayReports
import ReceiverProtocol

/// Looks for a sonde while nothing is heard: tunes the receiver to one frequency after the other.
///
///     begins   by a command, or by the configuration: nothing was heard for 60 s, and no sonde is hunted
///     steps    a tuning that a frame has confirmed is listened to for 8 s
///     pauses   5 minutes after a round; a new tuning ends the pause
///     ends     when the receiver hears a sonde, and by a user's tuning, a hunt or a frequency proposal
///
/// The receiver keeps each tuning in its flash, so their number is limited (``SearchBudget``).
struct Search: Equatable, Sendable {
    /// The search listens on each tuning for this long. In this time two frames of a sonde may be missed.
    static let dwell = Duration.seconds(8)
    /// A tuning that no frame confirms in this time is left out.
    static let confirmationLimit = Duration.seconds(20)
    static let pause = Duration.seconds(300)
    /// The configured search does not leave a sonde that was heard within this time.
    static let silence = Duration.seconds(60)
    /// A sonde that climbs above this altitude comes last: it will burst soon, and is heard from far, metres.
    static let highMetres = 20_000.0

    private enum Step: Equatable, Sendable {
        case idle
        case tuning(Tuning, since: MonotonicTime)
        case listening(Tuning, since: MonotonicTime)
        /// After a round, or until the receiver's flash may be written again.
        case pausing(until: MonotonicTime, isRoundOver: Bool)
    }

    private let plan: SearchPlan
    var frequencyRange: ClosedRange<Double>
    /// A command has switched it on.
    private var isOrdered = false
    /// A user, a hunt or a proposal has ended the configured search. It rests until the next link.
    private var isSuspended = false
    private var session = 0
    private var step = Step.idle
    private var round: [Tuning] = []
    /// The number of the round's tunings that were sent.
    private var index = 0
    private var budget = SearchBudget()
    private var heardAt: MonotonicTime?
    /// The tuning to send, with its number.
    private(set) var order: TuningOrder?
    /// The tunings that the search tries by itself. No proposal is made for them.
    private(set) var covered: [Tuning] = []
    private(set) var deadline: MonotonicTime?

    init(_ plan: SearchPlan, frequencyRange: ClosedRange<Double>) {
        self.plan = plan
        self.frequencyRange = frequencyRange
    }

    /// The search's progress, for the report.
    var progress: StateReport.Search {
        switch step {
        case .idle: StateReport.Search()
        case .tuning(let tuning, _), .listening(let tuning, _):
            StateReport.Search(isOn: true, tuning: tuning, index: index, count: round.count)
        case .pausing: StateReport.Search(isOn: true, index: index, count: round.count)
        }
    }

    // MARK: - Commands

    /// Switches the search on or off by a command.
    mutating func change(to isOn: Bool) {
        (isOrdered, isSuspended) = (isOn, !isOn)
        if !isOn { stop() }
    }

    /// A user's tuning, a hunt or a proposal ends the search.
    mutating func interrupt() {
        change(to: false)
    }

    private mutating func stop() {
        (step, round, index) = (.idle, [], 0)
    }

    mutating func recall(_ stored: StoredTunings?, at now: Moment) {
        if let stored { budget.recall(stored, at: now) }
    }

    // MARK: - Time

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        (deadline, covered) = (nil, [])
        if facts.receiver.session != session { (session, isSuspended) = (facts.receiver.session, false) }
        if facts.receiver.sondeHeardAt != heardAt {
            heardAt = facts.receiver.sondeHeardAt
            found(facts, &turn)
        }
        if facts.tuning.hasProposal { interrupt() }
        guard facts.receiver.canReceiveCommands, !facts.run.isStopping, !facts.receiver.givesPositions else {
            return stop()
        }
        guard isOrdered || isConfigured(facts) else { return stop() }
        covered = tunings(facts)
        let quietAt = heardAt.map { $0.advanced(by: isOrdered ? Self.dwell : Self.silence) }
        if step == .idle, let quietAt, turn.now.monotonic < quietAt {
            deadline = quietAt
            return
        }
        advance(facts, &turn)
    }

    /// Whether the configuration wants a search now. While a sonde is hunted, the receiver stays on its frequency.
    private func isConfigured(_ facts: Facts) -> Bool {
        guard plan != .off, !isSuspended, !facts.sondeHub.isHunting else { return false }
        return facts.state != .startup && facts.state != .waitingForAPRS
    }

    /// The receiver hears a sonde, on whatever frequency.
    private mutating func found(_ facts: Facts, _ turn: inout Turn) {
        guard step != .idle else { return }
        let heard = facts.receiver.listening?.tuning
        // The next tuning was already sent. Tune back to the sonde.
        if case .tuning(let sent, _) = step, let heard, heard != sent { send(heard, &turn) }
        isOrdered = false
        stop()
        if let heard { turn.announce(.searchFound(heard)) }
    }

    private mutating func advance(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now.monotonic
        switch step {
        case .idle: beginRound(&turn)
        case .tuning(let tuning, let since):
            let isConfirmed = isListening(facts, to: tuning)
            guard isConfirmed || now >= since.advanced(by: Self.confirmationLimit) else {
                deadline = since.advanced(by: Self.confirmationLimit)
                return
            }
            // The second attempt writes the flash once more.
            if now >= since.advanced(by: CommandLoop.retryAfter) { spend(&turn) }
            guard isConfirmed else { return next(&turn) }
            step = .listening(tuning, since: now)
            deadline = now.advanced(by: Self.dwell)
        case .listening(let tuning, let since):
            deadline = since.advanced(by: Self.dwell)
            if !isListening(facts, to: tuning) || now >= since.advanced(by: Self.dwell) { next(&turn) }
        case .pausing(let end, isRoundOver: true):
            deadline = end
            if now >= end || covered.contains(where: { !round.contains($0) }) { beginRound(&turn) }
        case .pausing(let end, isRoundOver: false):
            deadline = end
            if now >= end { next(&turn) }
        }
    }

    private func isListening(_ facts: Facts, to tuning: Tuning) -> Bool {
        facts.receiver.listening?.tuning == tuning
    }

    private mutating func beginRound(_ turn: inout Turn) {
        (round, index) = (covered, 0)
        next(&turn)
    }

    /// Tunes to the round's next frequency. After the last, it waits for a new one, or for 5 minutes.
    private mutating func next(_ turn: inout Turn) {
        guard index < round.count else {
            guard covered.contains(where: { !round.contains($0) }) else {
                return rest(until: turn.now.monotonic.advanced(by: Self.pause), isRoundOver: true)
            }
            return beginRound(&turn)
        }
        if let free = budget.waitsUntil(turn.now) { return rest(until: free, isRoundOver: false) }
        let tuning = round[index]
        index += 1
        step = .tuning(tuning, since: turn.now.monotonic)
        deadline = turn.now.monotonic.advanced(by: Self.confirmationLimit)
        send(tuning, &turn)
    }

    private mutating func rest(until time: MonotonicTime, isRoundOver: Bool) {
        step = .pausing(until: time, isRoundOver: isRoundOver)
        deadline = time
    }

    private mutating func send(_ tuning: Tuning, _ turn: inout Turn) {
        order = TuningOrder(tuning, after: order)
        spend(&turn)
    }

    private mutating func spend(_ turn: inout Turn) {
        budget.spend(at: turn.now)
        turn.store(budget.stored, as: .searchTunings)
    }

    /// The tunings of the sondes around, the highest first, and very high climbing ones last; then those of the
    /// followed sonde, of the configuration and of the launch site.
    func tunings(_ facts: Facts) -> [Tuning] {
        let flying = facts.sondeHub.around.filter { $0.phase != .landed }
        let sorted = flying.sorted { left, right in
            let (isLeftLate, isRightLate) = (left.isHighAndClimbing, right.isHighAndClimbing)
            return isLeftLate == isRightLate ? left.altitudeMetres > right.altitudeMetres : !isLeftLate
        }
        let heard = sorted.compactMap { Self.tuning($0.frequencyMHz, $0.sondeType) }
        return (heard + followed(facts) + plan.listed + facts.launches.siteTunings).reduce(into: []) { list, tuning in
            if !list.contains(tuning), frequencyRange.contains(tuning.frequencyMHz) { list.append(tuning) }
        }
    }

    /// The tuning of the followed sonde. The list of sondes may show it up to 10 s later.
    private func followed(_ facts: Facts) -> [Tuning] {
        guard facts.state.isAPRS, facts.sonde.phase.phase != .landed, let told = facts.sondeHub.tuning,
            let tuning = Self.tuning(told.frequencyMHz, told.sondeType)
        else { return [] }
        return [tuning]
    }

    /// SondeHub gives the measured frequency.
    private static func tuning(_ frequencyMHz: Double?, _ type: SondeType?) -> Tuning? {
        guard let frequencyMHz, let type else { return nil }
        return Tuning(frequencyMHz: RadioGrid.nearest(to: frequencyMHz), sondeType: type)
    }
}

extension SondesReport.Sonde {
    fileprivate var isHighAndClimbing: Bool { phase == .ascending && altitudeMetres > Search.highMetres }
}
