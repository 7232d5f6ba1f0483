public import GatewayCore
public import ReceiverProtocol

/// How one attempt at a link came out, as far as the next one depends on it.
public enum LinkOutcome: Equatable, Sendable {
    /// Frames came. `endedSilently`: then no more did, and nothing said why.
    case served(endedSilently: Bool)
    /// The link stood, but not one byte came.
    case mute
    /// The receiver was not heard.
    case notFound
    /// It was heard or reached, but the link could not be made or prepared.
    case failed
    /// The adapter did not do what it was told.
    case adapterTrouble
    /// A privilege is missing.
    case denied
    /// There is no adapter to use, or it was taken away or switched off: no repair of ours helps.
    case unavailable
    /// The gateway stopped it.
    case cancelled
}

/// What to try next, and with which repair first.
public struct LinkAttempt: Equatable, Sendable {
    public enum Target: Equatable, Sendable {
        /// Waits for these addresses, of one device; needs no privilege.
        case known([LEAddress])
        /// Scans.
        case discover(ReceiverFilter)
    }

    public var rung: LinkRepair
    public var target: Target
    /// After it the receiver counts as not found; nil as long as the kernel waits (40 s).
    public var patience: Duration?
    /// After the first receiver is heard, listens a moment longer for others, to tell about them.
    public var looksAround: Bool
    /// The repair is on suspicion only: it is left out while other devices use the adapter.
    public var sparesOthers: Bool
    /// An old link to the receiver may live until then and would be taken up in its middle.
    public var notBefore: MonotonicTime?

    public init(
        rung: LinkRepair, target: Target, patience: Duration?, looksAround: Bool, sparesOthers: Bool,
        notBefore: MonotonicTime?
    ) {
        self.rung = rung
        self.target = target
        self.patience = patience
        self.looksAround = looksAround
        self.sparesOthers = sparesOthers
        self.notBefore = notBefore
    }
}

/// The self-healing ladder: reconnect, rescan, adapter off and on, adapter reset; then slowly over again.
///
/// One per receiver; it outlives the links. How high to climb follows from how the attempts since the last good link
/// came out: the receiver's absence alone is no fault, a receiver that is there and can't be used is.
///
/// | since the last good link | the next attempt begins with |
/// | --- | --- |
/// | nothing, or one failure | connecting to the known address; scanning where none is known |
/// | not heard once | scanning; with a pinned address connecting again |
/// | 2 failures | scanning |
/// | 3, 6, 12, 24 … failures | the adapter off and on; scanning in between |
/// | the link fell silent, then not heard twice | the adapter off and on, once |
/// | not heard for 5, 10, 20, 40, 80 min, then every hour | the adapter off and on |
/// | the adapter did not do what it was told | the adapter off and on, every time until it does |
/// | 2 repairs of the adapter that did not help | a reset every other time, where the configuration allows it |
/// | 3 repairs | as above, and a person is told what to do |
/// | a privilege is missing | connecting to the known address, always |
public struct LinkLadder: Equatable, Sendable {
    /// As long as the kernel keeps a link after its socket is closed (measured: 2 s), and some.
    static let afterlife = Duration.milliseconds(2500)
    /// To wait for the last address before scanning; other receivers may be in range.
    static let knownPatience = Duration.seconds(8)
    /// The same after a link that fell silent: the controller may have lost it without telling.
    static let suspiciousPatience = Duration.seconds(4)
    /// A little over one run of the kernel's discovery.
    static let scanPatience = Duration.seconds(12)
    static let longScanPatience = Duration.seconds(60)
    /// The time without a link after which even an adapter that reports no fault is switched off and on; doubles each
    /// time, up to the limit.
    static let absenceBeforeCycle = Duration.seconds(300)
    static let absenceLimit = Duration.seconds(3600)
    /// Attempts at a receiver that is there and can't be used, before the adapter is switched off and on.
    static let failuresBeforeCycle = 3
    /// Power cycles that didn't help, before a reset.
    static let cyclesBeforeReset = 2
    /// Repairs of the adapter after which a person is told what to do.
    static let repairsBeforeAdvice = 3

    private let filter: ReceiverFilter
    private let mayReset: Bool
    /// The device that served last; tried first.
    public private(set) var last: LEAddress?
    private var isPrivileged = true
    private var hasLookedAround = false
    private var notBefore: MonotonicTime?
    /// Since when there has been no good link; nil before the first attempt.
    private var withoutLinkSince: MonotonicTime?
    private var failures = 0
    private var troubles = 0
    private var misses = 0
    private var isSuspicious = false
    /// Repairs of the adapter since the last good link.
    private var repairs = 0
    private var cyclesWithoutHelp = 0
    private var nextAbsenceCycleAfter = absenceBeforeCycle

    public init(filter: ReceiverFilter, mayReset: Bool, last: LEAddress?) {
        self.filter = filter
        self.mayReset = mayReset
        self.last = filter.address.map { pinned in last?.address == pinned } ?? true ? last : nil
    }

    /// Since the last good link ended; zero before the first attempt.
    public func timeWithoutLink(at now: MonotonicTime) -> Duration {
        withoutLinkSince.map { now.duration(since: $0) } ?? .zero
    }

    /// What a person should do, when repairs have not helped; nil when there is nothing to say.
    public var advice: String? {
        guard repairs >= Self.repairsBeforeAdvice else { return nil }
        return troubles > 0
            ? "Unplug the Bluetooth adapter and plug it in again, or restart the box."
            : "Switch the receiver off and on, and bring it near."
    }

    public mutating func next(at now: MonotonicTime) -> LinkAttempt {
        if withoutLinkSince == nil {
            withoutLinkSince = now
            // The link of a gateway that was killed a moment ago.
            notBefore = now.advanced(by: Self.afterlife)
        }
        let rung = rung(at: now)
        switch rung {
        case .reconnect, .rescan: break
        case .powerCycle, .reset:
            repairs += 1
            cyclesWithoutHelp += 1
            isSuspicious = false
        }
        defer { notBefore = nil }
        let (target, patience) = target(for: rung)
        return LinkAttempt(
            rung: rung, target: target, patience: patience, looksAround: !hasLookedAround,
            sparesOthers: troubles == 0, notBefore: notBefore)
    }

    private mutating func rung(at now: MonotonicTime) -> LinkRepair {
        guard isPrivileged else { return .reconnect }
        if troubles > 0 { return repair }
        if failures >= Self.failuresBeforeCycle {
            // At 3, 6, 12, … failures: ever slower, since it has not helped.
            let round = failures / Self.failuresBeforeCycle
            if failures % Self.failuresBeforeCycle == 0, round & (round - 1) == 0 { return repair }
            return .rescan
        }
        if isSuspicious, misses > 1 { return repair }
        if misses > 0, timeWithoutLink(at: now) >= nextAbsenceCycleAfter {
            nextAbsenceCycleAfter += min(nextAbsenceCycleAfter, Self.absenceLimit)
            return .powerCycle
        }
        if failures > 1 || (misses > 0 && (isSuspicious || filter.address == nil)) { return .rescan }
        return .reconnect
    }

    private var repair: LinkRepair {
        mayReset && cyclesWithoutHelp >= Self.cyclesBeforeReset && cyclesWithoutHelp % 2 == 0 ? .reset : .powerCycle
    }

    private func target(for rung: LinkRepair) -> (LinkAttempt.Target, Duration?) {
        switch rung {
        case .reconnect:
            guard let known = knownAddresses else { return (.discover(filter), Self.longScanPatience) }
            let patience: Duration? =
                isSuspicious
                ? Self.suspiciousPatience : filter.address == nil && isPrivileged ? Self.knownPatience : nil
            return (.known(known), patience)
        case .rescan: return (.discover(filter), isSuspicious ? Self.scanPatience : Self.longScanPatience)
        case .powerCycle, .reset: return (.discover(filter), Self.scanPatience)
        }
    }

    /// The pinned device's or the last one's. A pinned address of which the kind is not known stands for two.
    private var knownAddresses: [LEAddress]? {
        if let last { return [last] }
        guard let pinned = filter.address else { return nil }
        return [LEAddress(pinned, .public)] + (pinned.mayBeStaticRandom ? [LEAddress(pinned, .random)] : [])
    }

    /// The link is ready: the device is the one to try first from now on.
    public mutating func reached(_ device: LEAddress) {
        last = device
        hasLookedAround = true
    }

    /// - Parameter lingers: the radio link may still stand, though its socket is closed.
    public mutating func ended(_ outcome: LinkOutcome, lingers: Bool, at now: MonotonicTime) {
        if lingers { notBefore = now.advanced(by: Self.afterlife) }
        switch outcome {
        case .served(let endedSilently):
            let fresh = LinkLadder(filter: filter, mayReset: mayReset, last: last)
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
        case .unavailable, .cancelled: break  // Neither the receiver's nor the adapter's fault.
        }
    }
}
