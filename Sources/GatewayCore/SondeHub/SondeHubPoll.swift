import ReceiverProtocol

/// When SondeHub is polled, and with which question.
struct SondeHubPoll: Equatable, Sendable {
    /// A frame older than this is not fresh, seconds …
    private static let fresh = 120.0
    /// … and older than this is of a sonde long down.
    private static let recent = 1800.0
    private static let recentInterval = 300.0
    private static let oldInterval = 3600.0
    private static let jitter = 0.1
    /// The longest that errors and `Retry-After` put off a poll, seconds.
    private static let longestWait = 3600.0
    private static let backoffLimit = 300.0

    let settings: SondeHubOptions
    /// Names the call in flight; an answer of another name is late and dropped.
    private(set) var callInFlight: CallID?
    private(set) var calls = 0
    /// The present interval, seconds.
    private(set) var interval: Double
    /// When the next poll is due; nil while it isn't asked, or a call is in flight.
    private(set) var dueAt: MonotonicTime?
    private var isOn = false
    private var failures = 0
    private var asksArea = false
    private var notBefore = MonotonicTime.zero

    init(_ settings: SondeHubOptions) {
        self.settings = settings
        interval = settings.pollInterval
    }

    /// Turned on, the next poll is due at once; turned off, nothing is.
    mutating func setOn(_ on: Bool, at now: MonotonicTime) {
        guard settings.isEnabled, on != isOn else { return }
        isOn = on
        asksArea = false
        dueAt = on && callInFlight == nil ? max(now, notBefore) : nil
    }

    /// The poll that is due, if one is.
    /// - Parameter place: where the sonde was last, to look around there.
    mutating func next(_ id: CallID, around place: Coordinate?, at now: MonotonicTime) -> SondeHubQuery? {
        guard isOn, callInFlight == nil, let dueAt, now >= dueAt else { return nil }
        self.dueAt = nil
        callInFlight = id
        calls += 1
        guard asksArea, let centre = place ?? settings.place else { return .site(settings.site) }
        return .area(centre, radiusMetres: settings.radiusMetres)
    }

    /// An answer came. Returns false when nobody waits for it.
    mutating func answered(_ id: CallID) -> Bool {
        guard callInFlight == id else { return false }
        callInFlight = nil
        return true
    }

    /// The answer was good.
    /// - Parameters:
    ///   - newest: the age of the usable sonde's frame when SondeHub answered, seconds; nil when there is none.
    ///   - canAskArea: a place is known around which to look.
    mutating func succeeded(newest age: Double?, canAskArea: Bool, at now: MonotonicTime) {
        failures = 0
        switch age {
        case .some(...Self.fresh): interval = settings.pollInterval
        case .some(...Self.recent), nil: interval = Self.recentInterval
        default: interval = Self.oldInterval
        }
        // The site knows none: look around at once; neither knows: back to the site.
        let looksAround = age == nil && canAskArea && !asksArea
        asksArea = age == nil ? looksAround : asksArea
        schedule(looksAround ? 0 : Self.spread(interval, by: now), at: now)
    }

    /// The call failed: the interval stays, and the next call waits longer each time.
    mutating func failed(_ error: SondeHubError, at now: MonotonicTime) {
        failures += 1
        asksArea = false
        let backoff = min(Self.backoffLimit, settings.pollInterval * Double(1 << min(failures - 1, 10)))
        let wait = max(Self.spread(max(interval, backoff), by: now), error.retryAfter ?? 0)
        schedule(min(wait, Self.longestWait), at: now)
        if let pause = error.retryAfter { notBefore = now.advanced(by: min(pause, Self.longestWait)) }
    }

    /// A call of another kind.
    mutating func count() { calls += 1 }

    /// Something changed that makes the present answer worthless: asks at once, unless told to keep away.
    mutating func askNow(at now: MonotonicTime) {
        if isOn, callInFlight == nil { dueAt = max(now, notBefore) }
    }

    private mutating func schedule(_ wait: Double, at now: MonotonicTime) {
        dueAt = isOn ? now.advanced(by: wait) : nil
    }

    /// ± 10 %, so that many gateways don't ask at once; the arrival's last microseconds are as good as dice.
    static func spread(_ seconds: Double, by now: MonotonicTime) -> Double {
        let dice = Double(now.nanoseconds / 1000 % 2001) / 1000 - 1
        return seconds * (1 + jitter * dice)
    }
}
