import ReceiverProtocol

/// Keeps the receiver on the frequency of the hunted sonde as SondeHub tells it.
struct FrequencySync: Equatable, Sendable {
    enum Decision: Equatable {
        case propose(Tuning)
        case tune(Tuning)
        /// The mismatch is gone.
        case withdraw
    }

    private static let deferral = 300.0
    private static let autoInterval = 60.0
    private static let toleranceKHz = 10

    private(set) var policy: FrequencySyncPolicy
    /// What was proposed and is neither accepted, deferred nor out of date.
    private(set) var open: Tuning?
    /// Asked once each, on this link.
    private var asked: [Tuning] = []
    private var deferredUntil: MonotonicTime?
    private var mayTuneAt: MonotonicTime?

    init(_ policy: FrequencySyncPolicy) {
        self.policy = policy
    }

    /// When a deferred proposal may be made again, or the next tuning; nil when nothing waits for it.
    var deadline: MonotonicTime? {
        switch policy {
        case .propose: deferredUntil
        case .auto: mayTuneAt
        case .off: nil
        }
    }

    /// A new link knows nothing of what was asked on the last one.
    mutating func linkOpened() {
        asked = []
        deferredUntil = nil
    }

    /// - Parameters:
    ///   - wanted: where the hunted sonde transmits; nil when it is not known, or the receiver can't be tuned there.
    ///   - shown: where the receiver listens; nil when it can't take commands.
    mutating func compare(wanted: Tuning?, shown: Tuning?, at now: MonotonicTime) -> Decision? {
        guard policy != .off else { return nil }
        // What is past is no deadline any more.
        if let time = deferredUntil, now >= time { deferredUntil = nil }
        if let time = mayTuneAt, now >= time { mayTuneAt = nil }
        guard let wanted, let shown, Self.differ(wanted, shown) else {
            guard open != nil else { return nil }
            open = nil
            return .withdraw
        }
        switch policy {
        case .auto:
            guard mayTuneAt == nil else { return nil }
            mayTuneAt = now.advanced(by: Self.autoInterval)
            return .tune(wanted)
        case .propose:
            guard open != wanted, !asked.contains(wanted), deferredUntil == nil else { return nil }
            open = wanted
            asked.append(wanted)
            return .propose(wanted)
        case .off: return nil
        }
    }

    /// What was open is closed; the next comparison goes by the new policy.
    mutating func change(to policy: FrequencySyncPolicy) {
        self = FrequencySync(policy)
    }

    /// The proposal was accepted.
    mutating func accept() { open = nil }

    /// The proposal was put off; it is made again when the deferral is over.
    mutating func putOff(at now: MonotonicTime) {
        asked.removeAll { $0 == open }
        open = nil
        deferredUntil = now.advanced(by: Self.deferral)
    }

    private static func differ(_ wanted: Tuning, _ shown: Tuning) -> Bool {
        wanted.sondeType != shown.sondeType
            || abs(wanted.frequencyKHz - shown.frequencyKHz) > toleranceKHz
    }
}
