import FlightMath
import GatewayReports
import ReceiverProtocol

/// Decides when to poll SondeHub, and with which question.
///
///     site ---no sonde---> area ---no sonde---> the hunted sonde itself ---no sonde---> site, 5 min later
///
/// A question that finds a sonde is asked again. While a sonde is hunted, the site is asked again after 30 s. A question
/// that can't be asked is left out: the site without a configured one, the area while nobody knows where the receiver
/// is, the sonde while none is hunted. If none of them can be asked, no poll is made.
struct SondeHubPoll: Equatable, Sendable {
    private static let recentInterval = Duration.seconds(300)
    /// The interval without fresh data. The next sonde may be launched at any time.
    private static let oldInterval = Duration.seconds(900)
    /// The longest pause after errors.
    private static let longestPause = Duration.seconds(300)
    /// The shortest interval between polls for the hunted sonde itself.
    private static let sondeInterval = Duration.seconds(30)

    /// The shortest interval while the live stream delivers.
    static let streamedInterval = Duration.seconds(120)

    /// The kind of the next poll.
    enum Question: CaseIterable, Equatable, Sendable {
        case site, area, sonde

        /// This question and those after it.
        var round: [Question] {
            switch self {
            case .site: [.site, .area, .sonde]
            case .area: [.area, .sonde, .site]
            case .sonde: [.sonde, .site, .area]
            }
        }
    }

    /// The values for the questions; nil for a question that can't be asked.
    struct Aims: Equatable, Sendable {
        /// The launch site's number.
        var site: String?
        /// The centre of an area poll.
        var place: Coordinate?
        var hunted: SondeSerial?

        var areNone: Bool { site == nil && place == nil && hunted == nil }
    }

    let settings: SondeHubOptions
    private(set) var errand: Errand<SondeHubAnswer>
    private(set) var interval: Duration
    /// When the next poll is wanted; nil while polling is off or a call is in flight.
    private var wantedAt: MonotonicTime?
    private(set) var question = Question.site
    /// A sonde starts about now at the site.
    var isLaunchTime = false
    private var isOn = false
    /// The live stream delivers the hunted sonde: only the site is polled, and slowly.
    private var isRelieved = false
    private var sondeNotBefore = MonotonicTime.zero

    init(_ settings: SondeHubOptions) {
        self.settings = settings
        interval = settings.pollInterval
        errand = Errand(
            retry: RetryPauses(first: settings.pollInterval, longest: Self.longestPause), isSpread: true)
    }

    /// When the next poll is due; nil while polling is off or a call is in flight.
    var dueAt: MonotonicTime? {
        guard let wantedAt, let free = errand.dueAt(every: .zero) else { return nil }
        return max(wantedAt, free)
    }

    /// Switches polling on or off. When it is switched on, the next poll is due at once.
    mutating func setOn(_ on: Bool, at now: MonotonicTime) {
        guard settings.isEnabled, on != isOn else { return }
        isOn = on
        askNow(at: now)
    }

    /// The live stream begins or ceases to deliver the hunted sonde. When it ceases, the next poll is due at once. The
    /// interval then stays until that poll has ended, so that SondeHub does not time out before.
    mutating func relieve(_ relieved: Bool, at now: MonotonicTime) {
        guard relieved != isRelieved else { return }
        isRelieved = relieved
        guard relieved else { return askNow(at: now) }
        question = .site
        interval = max(interval, Self.streamedInterval)
        if wantedAt != nil { schedule(.zero, at: now) }
    }

    /// Begins a poll if one is due.
    mutating func begin(_ aims: Aims, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard isOn, let dueAt, now >= dueAt else { return }
        wantedAt = nil
        for next in question.round {
            guard let query = query(next, aims) else { continue }
            question = next
            if next == .sonde { sondeNotBefore = now.advanced(by: Self.sondeInterval) }
            return errand.ask(.sondes(query), &turn)
        }
    }

    private func query(_ question: Question, _ aims: Aims) -> SondeHubQuery? {
        switch question {
        case .site: aims.site.map { .site($0) }
        case .area: aims.place.map { .area($0, radiusMetres: settings.radiusMetres) }
        case .sonde: aims.hunted.map { .sonde($0) }
        }
    }

    /// Polls as soon as there is something to ask for.
    mutating func follow(canAsk: Bool, at now: MonotonicTime) {
        guard isOn, !errand.isOut else { return }
        if !canAsk {
            (question, wantedAt) = (.site, nil)
        } else if wantedAt == nil {
            askNow(at: now)
        }
    }

    /// - Returns: the answer, if it answers this part's call; else nil.
    mutating func take(_ reply: Reply, _ turn: inout Turn) -> Result<SondeHubAnswer, OnlineServiceError>? {
        errand.take(reply, &turn)
    }

    /// The call succeeded.
    /// - Parameters:
    ///   - age: the age of the chosen sonde's frame when SondeHub answered; nil if there is none.
    ///   - groundTest: the age of the newest frame that was left out as a test on the ground; nil if there is none. The
    ///     sonde may fly any moment, so it counts for the interval.
    ///   - canAskArea: whether the centre of an area poll is known.
    ///   - isHunting: whether only one sonde is wanted.
    mutating func succeeded(
        newest age: Duration?, groundTest: Duration? = nil, canAskArea: Bool, isHunting: Bool, at now: MonotonicTime
    ) {
        let testInterval = groundTest.map(interval(for:))
        guard let age else {
            lookElsewhere(canAskArea: canAskArea, isHunting: isHunting, at: now)
            // Ask the next question at once. After a test on the ground ask the site again soon.
            if question == .site, !isRelieved, let testInterval, testInterval < interval {
                interval = testInterval
                schedule(testInterval.spread(by: now), at: now)
            }
            return
        }
        interval = min(interval(for: age), testInterval ?? Self.oldInterval)
        if isRelieved { interval = max(interval, Self.streamedInterval) }
        if question == .sonde { interval = max(interval, Self.sondeInterval) }
        schedule(interval.spread(by: now), at: now)
    }

    private func interval(for age: Duration) -> Duration {
        if age <= PositionReport.freshLimit { return settings.pollInterval }
        return age <= SondeHubChoice.recent || isLaunchTime ? Self.recentInterval : Self.oldInterval
    }

    private mutating func lookElsewhere(canAskArea: Bool, isHunting: Bool, at now: MonotonicTime) {
        interval = Self.recentInterval
        if isRelieved {
            (question, interval) = (.site, Self.streamedInterval)
            return schedule(.zero, at: now)
        }
        switch question {
        case .site where canAskArea:
            question = .area
            schedule(.zero, at: now)
        case .site where isHunting, .area where isHunting:
            question = .sonde
            schedule(max(.zero, sondeNotBefore.duration(since: now)), at: now)
        case .site, .area, .sonde:
            // A station may hear the hunted sonde at any moment, so poll as often as for fresh data.
            let wait = isHunting ? max(Self.sondeInterval, settings.pollInterval) : interval
            question = .site
            interval = wait
            schedule(wait.spread(by: now), at: now)
        }
    }

    /// The call failed. The interval stays.
    mutating func failed(at now: MonotonicTime) {
        question = .site
        // The poll after the stream's end failed: go on as without a stream.
        if !isRelieved, interval == Self.streamedInterval { interval = settings.pollInterval }
        schedule(interval.spread(by: now), at: now)
    }

    /// Polls at once because the last answer no longer fits, unless SondeHub asked to wait.
    mutating func askNow(at now: MonotonicTime) {
        question = .site
        errand.hurry()
        wantedAt = isOn && !errand.isOut ? now : nil
    }

    private mutating func schedule(_ wait: Duration, at now: MonotonicTime) {
        let wait = isRelieved ? max(wait, Self.streamedInterval.spread(by: now)) : wait
        wantedAt = isOn ? now.advanced(by: wait) : nil
    }
}
