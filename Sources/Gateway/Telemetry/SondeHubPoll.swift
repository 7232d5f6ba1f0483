import FlightMath
import GatewayReports
import ReceiverProtocol

/// Decides when to poll SondeHub, and with which question (specification 4.4).
///
///     site ---no sonde---> area ---no sonde---> the hunted sonde itself ---no sonde---> site, 5 min later
///
/// A question that finds a sonde is asked again. While a sonde is hunted, the site is asked again after 30 s.
struct SondeHubPoll: Equatable, Sendable {
    /// A sonde whose newest frame is older counts as landed.
    static let recent = Duration.seconds(1800)
    private static let recentInterval = Duration.seconds(300)
    /// The interval without fresh data. The next sonde may be launched at any time.
    private static let oldInterval = Duration.seconds(900)
    private static let jitter = 0.1
    /// The longest time by which errors and `Retry-After` delay a poll.
    static let longestWait = Duration.seconds(3600)
    private static let backoffLimit = Duration.seconds(300)
    /// The shortest interval between polls for the hunted sonde itself (2.4).
    private static let sondeInterval = Duration.seconds(30)

    /// The shortest interval while the live stream delivers (specification 4.7).
    static let streamedInterval = Duration.seconds(120)

    /// The kind of the next poll.
    enum Question: Equatable, Sendable {
        case site, area, sonde
    }

    let settings: SondeHubOptions
    /// The id of the call in flight; nil if there is none.
    private(set) var callInFlight: CallID?
    private(set) var calls = 0
    private(set) var interval: Duration
    /// When the next poll is due; nil while polling is off or a call is in flight.
    private(set) var dueAt: MonotonicTime?
    private(set) var question = Question.site
    /// A sonde starts about now at the site.
    var isLaunchTime = false
    private var isOn = false
    /// The live stream delivers the hunted sonde: only the site is polled, and slowly.
    private var isRelieved = false
    private var failures = 0
    private var notBefore = MonotonicTime.zero
    private var sondeNotBefore = MonotonicTime.zero

    init(_ settings: SondeHubOptions) {
        self.settings = settings
        interval = settings.pollInterval
    }

    /// Switches polling on or off. When it is switched on, the next poll is due at once.
    mutating func setOn(_ on: Bool, at now: MonotonicTime) {
        guard settings.isEnabled, on != isOn else { return }
        isOn = on
        question = .site
        dueAt = on && callInFlight == nil ? max(now, notBefore) : nil
    }

    /// The live stream begins or ceases to deliver the hunted sonde. When it ceases, the next poll is due at once. The
    /// interval then stays until that poll has ended, so that SondeHub does not time out before.
    mutating func relieve(_ relieved: Bool, at now: MonotonicTime) {
        guard relieved != isRelieved else { return }
        isRelieved = relieved
        guard relieved else { return askNow(at: now) }
        question = .site
        interval = max(interval, Self.streamedInterval)
        if dueAt != nil { schedule(.zero, at: now) }
    }

    /// Begins a poll if one is due.
    /// - Parameters:
    ///   - place: the centre of an area poll.
    ///   - hunted: the sonde to ask for if neither site nor area has it.
    mutating func begin(around place: Coordinate?, hunted: SondeSerial?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard isOn, callInFlight == nil, let dueAt, now >= dueAt else { return }
        self.dueAt = nil
        calls += 1
        callInFlight = turn.call(.sondes(query(around: place, hunted: hunted, at: now)), for: .sondeHub)
    }

    private mutating func query(
        around place: Coordinate?, hunted: SondeSerial?, at now: MonotonicTime
    ) -> SondeHubQuery {
        switch question {
        case .sonde:
            if let hunted {
                sondeNotBefore = now.advanced(by: Self.sondeInterval)
                return .sonde(hunted)
            }
        case .area:
            if let centre = place ?? settings.place { return .area(centre, radiusMetres: settings.radiusMetres) }
        case .site: break
        }
        question = .site
        return .site(settings.site)
    }

    /// The call in flight has its answer.
    mutating func answered() {
        callInFlight = nil
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
        failures = 0
        let testInterval = groundTest.map(interval(for:))
        guard let age else {
            lookElsewhere(canAskArea: canAskArea, isHunting: isHunting, at: now)
            // Ask the next question at once. After a test on the ground ask the site again soon.
            if question == .site, !isRelieved, let testInterval, testInterval < interval {
                interval = testInterval
                schedule(Self.spread(testInterval, by: now), at: now)
            }
            return
        }
        interval = min(interval(for: age), testInterval ?? Self.oldInterval)
        if isRelieved { interval = max(interval, Self.streamedInterval) }
        if question == .sonde { interval = max(interval, Self.sondeInterval) }
        schedule(Self.spread(interval, by: now), at: now)
    }

    /// The newest frame is younger than its station's clock has said: the next poll is due sooner.
    mutating func correct(newest age: Duration, at now: MonotonicTime) {
        let shorter = question == .sonde ? max(interval(for: age), Self.sondeInterval) : interval(for: age)
        guard callInFlight == nil, !isRelieved, shorter < interval else { return }
        interval = shorter
        schedule(Self.spread(shorter, by: now), at: now)
    }

    private func interval(for age: Duration) -> Duration {
        if age <= PositionReport.freshLimit { return settings.pollInterval }
        return age <= Self.recent || isLaunchTime ? Self.recentInterval : Self.oldInterval
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
            schedule(Self.spread(wait, by: now), at: now)
        }
    }

    /// The call failed. The interval stays, and each further failure delays the next call more.
    mutating func failed(_ error: OnlineServiceError, at now: MonotonicTime) {
        failures += 1
        question = .site
        // The poll after the stream's end failed: go on as without a stream.
        if !isRelieved, interval == Self.streamedInterval { interval = settings.pollInterval }
        let backoff = min(Self.backoffLimit, settings.pollInterval * (1 << min(failures - 1, 10)))
        let asked = error.askedPause
        let wait = max(Self.spread(max(interval, backoff), by: now), asked)
        schedule(min(wait, Self.longestWait), at: now)
        if error.retryAfter != nil { notBefore = now.advanced(by: asked) }
    }

    /// Polls at once because the last answer no longer fits, unless SondeHub asked to wait.
    mutating func askNow(at now: MonotonicTime) {
        question = .site
        if isOn, callInFlight == nil { dueAt = max(now, notBefore) }
    }

    private mutating func schedule(_ wait: Duration, at now: MonotonicTime) {
        let wait = isRelieved ? max(wait, Self.spread(Self.streamedInterval, by: now)) : wait
        dueAt = isOn ? max(now.advanced(by: wait), notBefore) : nil
    }

    /// Changes the wait by up to ± 10 %, so that many gateways don't poll at once. The last microseconds of the time
    /// serve as the random number.
    static func spread(_ wait: Duration, by now: MonotonicTime) -> Duration {
        let dice = Double(now.nanoseconds / 1000 % 2001) / 1000 - 1
        return wait * (1 + jitter * dice)
    }
}
