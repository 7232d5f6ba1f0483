import FlightMath
import GatewayReports
import ReceiverProtocol

/// Keeps the receiver on the frequency that SondeHub gives for the followed sonde.
struct FrequencySync: Sendable {
    private static let deferral = Duration.seconds(300)
    private static let autoInterval = Duration.seconds(60)
    /// An accepted proposal is open again if the receiver has not followed by then.
    private static let tuningTime = Duration.seconds(30)
    /// Two tunings that differ by less are one: stations round a frequency in different ways.
    private static let sameKHz = 20
    /// The most tunings that are remembered as proposed or deferred. The oldest are forgotten and may be proposed
    /// again.
    private static let remembered = 32

    private(set) var policy: FrequencySyncPolicy
    private let configured: FrequencySyncPolicy
    /// The frequencies to which the receiver may be tuned, MHz.
    var frequencyRange: ClosedRange<Double>
    /// The open proposal: neither accepted nor deferred nor out of date.
    private(set) var open: Tuning?
    /// The last tuning that the policy `auto` wants.
    private(set) var order: TuningOrder?
    /// The tunings proposed on this link. Each is proposed once.
    private var asked: [Tuning] = []
    private var deferred: [(tuning: Tuning, until: MonotonicTime)] = []
    private var mayTuneAt: MonotonicTime?
    /// The last tuning of this sonde that was sent to the receiver. Another one needs most of SondeHub's stations.
    private var sent: (serial: SondeSerial?, tuning: Tuning)?
    private var session = 0

    init(_ policy: FrequencySyncPolicy, frequencyRange: ClosedRange<Double>) {
        self.policy = policy
        configured = policy
        self.frequencyRange = frequencyRange
    }

    /// When a deferred proposal or the next tuning is allowed; nil if nothing waits.
    var deadline: MonotonicTime? {
        switch policy {
        case .propose: deferred.map(\.until).min()
        case .auto: mayTuneAt
        case .off: nil
        }
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now.monotonic
        // Remove deferrals that are over.
        deferred.removeAll { now >= $0.until }
        if now.hasReached(mayTuneAt) { mayTuneAt = nil }
        if facts.receiver.session != session {
            session = facts.receiver.session
            (open, asked, deferred) = (nil, [], [])
        }
        guard policy != .off, let listening = facts.receiver.listening,
            let wanted = stillOpen(facts, listening) ?? wanted(facts), Self.differ(wanted, listening),
            Self.isWithinReach(facts), isFinal(wanted, facts), !facts.tuning.searched.contains(wanted)
        else {
            open = nil
            return
        }
        switch policy {
        case .auto:
            guard mayTuneAt == nil else { return }
            mayTuneAt = now.advanced(by: Self.autoInterval)
            order = TuningOrder(wanted, after: order)
            sent = (facts.sonde.serial, wanted)
            turn.announce(.frequencyTuned(wanted))
        case .propose:
            guard open != wanted else { return }
            open = nil
            guard !deferred.contains(where: { Self.isSame($0.tuning, wanted) }) else { return }
            open = wanted
            // The proposal is announced once, and can be accepted as long as the difference lasts.
            guard !asked.contains(where: { Self.isSame($0, wanted) }) else { return }
            asked = asked.suffix(Self.remembered - 1) + [wanted]
            turn.announce(.frequencyProposal(wanted))
        case .off: return
        }
    }

    /// Changes the policy by a command; nil restores the configured one. Closes the open proposal; the new policy
    /// decides again.
    mutating func change(to policy: FrequencySyncPolicy?) {
        self.policy = policy ?? configured
        (open, asked, deferred, mayTuneAt) = (nil, [], [], nil)
    }

    /// The proposal was accepted.
    /// - Parameter serial: the followed sonde.
    mutating func accept(of serial: SondeSerial?, at now: MonotonicTime) {
        if let open { sent = (serial, open) }
        close(until: now.advanced(by: Self.tuningTime))
    }

    /// Defers the open proposal. It is made again when the deferral is over.
    mutating func putOff(at now: MonotonicTime) {
        if let open { asked.removeAll { Self.isSame($0, open) } }
        close(until: now.advanced(by: Self.deferral))
    }

    private mutating func close(until time: MonotonicTime) {
        guard let tuning = open else { return }
        deferred = deferred.suffix(Self.remembered - 1) + [(tuning, time)]
        open = nil
    }

    /// Whether the receiver could hear the sonde: a person hunts it, the receiver has decoded it, or it is above the
    /// horizon. A place that nobody knows rules nothing out.
    private static func isWithinReach(_ facts: Facts) -> Bool {
        guard !facts.sondeHub.isPinned, facts.sonde.decodedType == nil, let place = facts.receiver.place,
            let point = facts.sonde.newestPoint
        else { return true }
        return place.canHear(point.coordinate, at: point.altitudeMetres)
    }

    /// Whether this is the first tuning for the sonde, the same again, or one that most stations report. Otherwise two
    /// stations that disagree would tune the receiver to and fro.
    private func isFinal(_ wanted: Tuning, _ facts: Facts) -> Bool {
        guard let sent, sent.serial == facts.sonde.serial else { return true }
        let stations = facts.sondeHub.frequencies
        return stations.isEmpty || wanted == sent.tuning || wanted.sondeType != sent.tuning.sondeType
            || stations.areMostly(on: wanted.frequencyMHz) && !stations.areMostly(on: sent.tuning.frequencyMHz)
    }

    /// The tuning by SondeHub's data; nil if it is unknown or the receiver can't be tuned to it.
    private func wanted(_ facts: Facts) -> Tuning? {
        guard facts.state.isAPRS, let frequency = facts.sondeHub.tuning?.frequencyMHz,
            let type = Self.sondeType(facts), frequency.isFinite
        else { return nil }
        let rounded = RadioGrid.nearest(to: frequency)
        guard frequencyRange.contains(rounded) else { return nil }
        return Tuning(frequencyMHz: rounded, sondeType: type)
    }

    /// The type to tune to. A type by which the receiver has decoded the sonde works, whatever SondeHub calls it.
    private static func sondeType(_ facts: Facts) -> SondeType? {
        facts.sonde.decodedType ?? facts.sondeHub.tuning?.sondeType
    }

    private static func isSame(_ one: Tuning, _ other: Tuning) -> Bool {
        one.sondeType == other.sondeType && abs(one.frequencyKHz - other.frequencyKHz) <= sameKHz
    }

    /// The open proposal, if the newest record still fits it. Stations round a frequency in different ways, and some
    /// send none.
    private func stillOpen(_ facts: Facts, _ listening: Listening) -> Tuning? {
        guard let open, facts.state.isAPRS, facts.sondeHub.tuning != nil,
            Self.sondeType(facts) ?? open.sondeType == open.sondeType
        else { return nil }
        guard let wanted = wanted(facts) else { return open }
        return Self.isSame(wanted, open) && Self.differ(wanted, listening) ? open : nil
    }

    private static func differ(_ wanted: Tuning, _ listening: Listening) -> Bool {
        wanted.sondeType != listening.sondeType || !RadioGrid.agree(wanted.frequencyMHz, listening.frequencyMHz)
    }
}
