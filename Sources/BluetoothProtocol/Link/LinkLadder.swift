public import GatewayReports
public import ReceiverProtocol

/// The outcome of one attempt at a link, as far as the next attempt depends on it.
public enum LinkOutcome: Equatable, Sendable {
    /// Frames came. `endedSilently`: later the frames stopped without an error.
    case served(endedSilently: Bool)
    /// The link was ready, but no byte came.
    case mute
    /// No scan or connection attempt heard the receiver.
    case notFound
    /// The receiver was heard or reached, but the link could not be made or prepared.
    case failed
    /// The adapter did not carry out a command.
    case adapterTrouble
    /// The gateway lacks a privilege.
    case denied
    /// No usable adapter is present, or someone removed it or switched it off. No repair of ours helps.
    case unavailable
    /// The gateway stopped it.
    case cancelled
}

/// The next attempt: the repair to begin with, and the device to look for.
public struct LinkAttempt: Equatable, Sendable {
    public enum Target: Equatable, Sendable {
        /// Connect to these addresses, all of one device. Needs no privilege.
        case known([LEAddress])
        /// Scan for a device that passes the filter.
        case discover(ReceiverFilter)
    }

    public var rung: LinkRepair
    public var target: Target
    /// After this time the attempt ends with "not found". Nil waits as long as the kernel does (40 s).
    public var searchLimit: Duration?
    /// After the first receiver, listen a moment longer for others, so that the log can name them.
    public var looksAround: Bool
    /// The repair is only a precaution: skip it while other devices use the adapter.
    public var sparesOthers: Bool
    /// Do not connect before this instant: until then an old link to the receiver may live, and we would continue it
    /// halfway.
    public var notBefore: MonotonicTime?

    public init(
        rung: LinkRepair, target: Target, searchLimit: Duration?, looksAround: Bool, sparesOthers: Bool,
        notBefore: MonotonicTime?
    ) {
        self.rung = rung
        self.target = target
        self.searchLimit = searchLimit
        self.looksAround = looksAround
        self.sparesOthers = sparesOthers
        self.notBefore = notBefore
    }
}

/// The self-healing ladder: reconnect, rescan, adapter off and on; then again, more slowly.
///
/// Each receiver has one ladder, which outlives the links. The outcomes since the last good link decide how high it
/// climbs. A receiver that is not heard is no fault; a receiver that is heard and can't be used is one.
///
/// | since the last good link | the next attempt begins with |
/// | --- | --- |
/// | no failure or one | connecting to the known address; scanning if no address is known |
/// | not heard once | scanning; with a pinned address connecting again |
/// | 2 failures | scanning |
/// | 3, 6, 12, 24 … failures | the adapter off and on; scanning in between |
/// | the link fell silent, then the receiver was not heard twice | the adapter off and on, once |
/// | not heard for 5, 10, 20, 40, 80 min, then every hour | the adapter off and on |
/// | the adapter did not carry out a command | the adapter off and on, each time until it does |
/// | 3 repairs did not help | as above, and the log advises a person |
/// | a privilege is missing | connecting to the known address, always |
public struct LinkLadder: Equatable, Sendable {
    /// The time for which the kernel keeps a link after its socket is closed (measured: 2 s), plus a reserve.
    static let afterlife = Duration.milliseconds(2500)
    /// How long to wait for the last device before scanning. Another receiver may be in range.
    static let knownDeviceLimit = Duration.seconds(8)
    /// The same after a link that fell silent: the controller may have lost the link without a report.
    static let suspiciousDeviceLimit = Duration.seconds(4)
    /// A little more than one discovery run of the kernel.
    static let scanLimit = Duration.seconds(12)
    static let longScanLimit = Duration.seconds(60)
    /// After this time without a link the adapter is switched off and on, even if it reports no fault. The time doubles
    /// after each repair, up to the limit.
    static let absenceBeforeCycle = Duration.seconds(300)
    static let absenceLimit = Duration.seconds(3600)
    /// Failed attempts at a receiver that is heard, before the adapter is switched off and on.
    static let failuresBeforeCycle = 3
    /// Repairs of the adapter before the log advises a person.
    static let repairsBeforeAdvice = 3

    private let filter: ReceiverFilter
    /// The device of the last good link. The ladder tries it first.
    public private(set) var last: LEAddress?
    private var isPrivileged = true
    private var hasLookedAround = false
    private var notBefore: MonotonicTime?
    /// When the last good link ended; for a new ladder the instant of its first attempt, before that nil.
    private var withoutLinkSince: MonotonicTime?
    private var failures = 0
    private var troubles = 0
    private var misses = 0
    private var isSuspicious = false
    /// The number of adapter repairs since the last good link.
    private var repairs = 0
    private var nextAbsenceCycleAfter = absenceBeforeCycle

    public init(filter: ReceiverFilter, last: LEAddress?) {
        self.filter = filter
        self.last = filter.address.map { pinned in last?.address == pinned } ?? true ? last : nil
    }

    /// Notes the device that an earlier run used last.
    public mutating func recall(_ device: LEAddress) {
        if last == nil { last = LinkLadder(filter: filter, last: device).last }
    }

    /// The time since the last good link ended. For a new ladder: since its first attempt, and zero before it.
    public func timeWithoutLink(at now: MonotonicTime) -> Duration {
        withoutLinkSince.map { now.duration(since: $0) } ?? .zero
    }

    /// Advice for a person after repairs that did not help; nil if there is no advice.
    public var advice: LinkAdvice? {
        guard repairs >= Self.repairsBeforeAdvice else { return nil }
        return troubles > 0 ? .replugAdapter : .restartReceiver
    }

    public mutating func next(at now: MonotonicTime) -> LinkAttempt {
        if withoutLinkSince == nil {
            withoutLinkSince = now
            // The killed predecessor of this process may have left a link open.
            notBefore = now.advanced(by: Self.afterlife)
        }
        let rung = rung(at: now)
        if rung == .powerCycle {
            repairs += 1
            isSuspicious = false
        }
        defer { notBefore = nil }
        let (target, searchLimit) = target(for: rung)
        return LinkAttempt(
            rung: rung, target: target, searchLimit: searchLimit, looksAround: !hasLookedAround,
            sparesOthers: troubles == 0, notBefore: notBefore)
    }

    private mutating func rung(at now: MonotonicTime) -> LinkRepair {
        guard isPrivileged else { return .reconnect }
        if troubles > 0 { return .powerCycle }
        if failures >= Self.failuresBeforeCycle {
            // At 3, 6, 12, … failures: the repairs did not help, so repeat them ever more rarely.
            let round = failures / Self.failuresBeforeCycle
            if failures % Self.failuresBeforeCycle == 0, round & (round - 1) == 0 { return .powerCycle }
            return .rescan
        }
        if isSuspicious, misses > 1 { return .powerCycle }
        if misses > 0, timeWithoutLink(at: now) >= nextAbsenceCycleAfter {
            nextAbsenceCycleAfter += min(nextAbsenceCycleAfter, Self.absenceLimit)
            return .powerCycle
        }
        if failures > 1 || (misses > 0 && (isSuspicious || filter.address == nil)) { return .rescan }
        return .reconnect
    }

    private func target(for rung: LinkRepair) -> (LinkAttempt.Target, Duration?) {
        switch rung {
        case .reconnect:
            guard let known = knownAddresses else { return (.discover(filter), Self.longScanLimit) }
            let searchLimit: Duration? =
                isSuspicious
                ? Self.suspiciousDeviceLimit : filter.address == nil && isPrivileged ? Self.knownDeviceLimit : nil
            return (.known(known), searchLimit)
        case .rescan: return (.discover(filter), isSuspicious ? Self.scanLimit : Self.longScanLimit)
        case .powerCycle: return (.discover(filter), Self.scanLimit)
        }
    }

    /// The addresses of the pinned device, or of the last one; nil if neither is set. A pinned address stands for two
    /// devices as long as its kind (public or random) is unknown.
    private var knownAddresses: [LEAddress]? {
        if let last { return [last] }
        guard let pinned = filter.address else { return nil }
        return [LEAddress(pinned, .public)] + (pinned.mayBeStaticRandom ? [LEAddress(pinned, .random)] : [])
    }

    /// The link is ready. From now on the ladder tries this device first.
    public mutating func reached(_ device: LEAddress) {
        last = device
        hasLookedAround = true
    }

    /// Records how the attempt ended.
    /// - Parameter lingers: whether the radio link may live on although its socket is closed.
    public mutating func ended(_ outcome: LinkOutcome, lingers: Bool, at now: MonotonicTime) {
        if lingers { notBefore = now.advanced(by: Self.afterlife) }
        switch outcome {
        case .served(let endedSilently):
            let fresh = LinkLadder(filter: filter, last: last)
            let (isPrivileged, notBefore) = (isPrivileged, notBefore)
            self = fresh
            (self.isPrivileged, self.notBefore) = (isPrivileged, notBefore)
            hasLookedAround = true
            withoutLinkSince = now
            isSuspicious = endedSilently
        case .mute, .failed:
            failures += 1
            troubles = 0
        case .notFound:
            misses += 1
            troubles = 0
        case .adapterTrouble: troubles += 1
        case .denied: isPrivileged = false
        case .unavailable, .cancelled: break  // Neither the receiver nor the adapter is at fault.
        }
    }
}
