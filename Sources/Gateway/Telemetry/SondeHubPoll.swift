import FlightMath
import GatewayReports
import ReceiverProtocol

/// When SondeHub is polled, and with which question (specification 4.4).
///
///     site ---knows none---> area ---knows none---> the hunted sonde itself ---knows none---> site, 5 min later
///
/// Whoever answers goes on being asked.
struct SondeHubPoll: Equatable, Sendable {
    /// A frame older than this is of a sonde long down.
    private static let recent = Duration.seconds(1800)
    private static let recentInterval = Duration.seconds(300)
    /// With nothing fresh it is asked this often: the next sonde may be launched any time.
    private static let oldInterval = Duration.seconds(900)
    private static let jitter = 0.1
    /// The longest that errors and `Retry-After` put off a poll.
    private static let longestWait = Duration.seconds(3600)
    private static let backoffLimit = Duration.seconds(300)
    /// The hunted sonde itself is asked for at most this often (2.4).
    private static let sondeInterval = Duration.seconds(30)

    /// Whom the next poll asks.
    enum Question: Equatable, Sendable {
        case site, area, sonde
    }

    let settings: SondeHubOptions
    /// Names the call in flight.
    private(set) var callInFlight: CallID?
    private(set) var calls = 0
    private(set) var interval: Duration
    /// When the next poll is due; nil while it isn't asked, or a call is in flight.
    private(set) var dueAt: MonotonicTime?
    private(set) var question = Question.site
    private var isOn = false
    private var failures = 0
    private var notBefore = MonotonicTime.zero
    private var sondeNotBefore = MonotonicTime.zero

    init(_ settings: SondeHubOptions) {
        self.settings = settings
        interval = settings.pollInterval
    }

    /// Turned on, the next poll is due at once; turned off, nothing is.
    mutating func setOn(_ on: Bool, at now: MonotonicTime) {
        guard settings.isEnabled, on != isOn else { return }
        isOn = on
        question = .site
        dueAt = on && callInFlight == nil ? max(now, notBefore) : nil
    }

    /// Begins the poll that is due, if one is.
    /// - Parameters:
    ///   - place: where the sonde was last, to look around there.
    ///   - hunted: the sonde to ask for where neither site nor area hold it.
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

    /// The answer was good.
    /// - Parameters:
    ///   - age: of the usable sonde's frame when SondeHub answered; nil if there is none.
    ///   - groundTest: the age of the newest frame that was left out as a test on the ground; nil if there is none. The
    ///     sonde may fly any moment, so it counts for the interval.
    ///   - canAskArea: a place is known around which to look.
    ///   - isHunting: there is one sonde that is wanted, and no other.
    mutating func succeeded(
        newest age: Duration?, groundTest: Duration? = nil, canAskArea: Bool, isHunting: Bool, at now: MonotonicTime
    ) {
        failures = 0
        let testInterval = groundTest.map(interval(for:))
        guard let age else {
            lookElsewhere(canAskArea: canAskArea, isHunting: isHunting, at: now)
            // Another place is asked at once; the site again as often as its test wants.
            if question == .site, let testInterval, testInterval < interval {
                interval = testInterval
                schedule(Self.spread(testInterval, by: now), at: now)
            }
            return
        }
        interval = min(interval(for: age), testInterval ?? Self.oldInterval)
        if question == .sonde { interval = max(interval, Self.sondeInterval) }
        schedule(Self.spread(interval, by: now), at: now)
    }

    private func interval(for age: Duration) -> Duration {
        if age <= PositionReport.freshLimit { return settings.pollInterval }
        return age <= Self.recent ? Self.recentInterval : Self.oldInterval
    }

    private mutating func lookElsewhere(canAskArea: Bool, isHunting: Bool, at now: MonotonicTime) {
        interval = Self.recentInterval
        switch question {
        case .site where canAskArea:
            question = .area
            schedule(.zero, at: now)
        case .site where isHunting, .area where isHunting:
            question = .sonde
            schedule(max(.zero, sondeNotBefore.duration(since: now)), at: now)
        case .site, .area, .sonde:
            // Somebody may hear the hunted sonde any moment: asked for as if it were fresh.
            let wait = isHunting ? max(Self.sondeInterval, settings.pollInterval) : interval
            question = .site
            interval = wait
            schedule(Self.spread(wait, by: now), at: now)
        }
    }

    /// The call failed: the interval stays, and the next call waits longer each time.
    mutating func failed(_ error: OnlineServiceError, at now: MonotonicTime) {
        failures += 1
        question = .site
        let backoff = min(Self.backoffLimit, settings.pollInterval * (1 << min(failures - 1, 10)))
        let asked = min(error.retryAfter ?? .zero, Self.longestWait)
        let wait = max(Self.spread(max(interval, backoff), by: now), asked)
        schedule(min(wait, Self.longestWait), at: now)
        if error.retryAfter != nil { notBefore = now.advanced(by: asked) }
    }

    /// Something changed that makes the present answer worthless: asks at once, unless told to keep away.
    mutating func askNow(at now: MonotonicTime) {
        question = .site
        if isOn, callInFlight == nil { dueAt = max(now, notBefore) }
    }

    private mutating func schedule(_ wait: Duration, at now: MonotonicTime) {
        dueAt = isOn ? max(now.advanced(by: wait), notBefore) : nil
    }

    /// ± 10 %, so that many gateways don't ask at once; the arrival's last microseconds are as good as dice.
    static func spread(_ wait: Duration, by now: MonotonicTime) -> Duration {
        let dice = Double(now.nanoseconds / 1000 % 2001) / 1000 - 1
        return wait * (1 + jitter * dice)
    }
}
