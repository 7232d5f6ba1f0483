import FlightMath
import GatewayReports
import ReceiverProtocol

/// How current the telemetry is and where it comes from: the seven states of `<p>/state`.
///
///     startup ---------> liveBLEFlying <--> liveBLELanded        the receiver gives positions
///        |                    |   ^               |
///        |                    v   |               |
///        |              waitingForAPRS <----------+              15 s at most
///        |                    |   |
///        |                    v   +------+
///        +--> noTelemetry <-> aprsFlying <--> aprsLanded         SondeHub does
///
/// From every state, telemetry of the receiver leads to a live state at once, and a stopping gateway ends in
/// noTelemetry.
struct Telemetry: Equatable, Sendable {
    /// The longest time in startup and in waitingForAPRS.
    static let waitLimit = Duration.seconds(15)
    /// SondeHub has timed out when its last good answer is older than this many poll intervals.
    private static let intervalsToTimeOut = 2.5
    /// SondeHub does not time out earlier than this.
    private static let shortestTimeOut = Duration.seconds(60)

    private(set) var state = TelemetryState.startup
    private(set) var since: Moment
    private(set) var reason = TelemetryState.Reason.started
    /// When SondeHub times out as the source; nil if it is not the source.
    private var sondeHubTimeOut: MonotonicTime?
    /// When the receiver no longer hears the sonde, unless it hears it again.
    private var signalEnd: MonotonicTime?
    private var hearing = HearingWatch()

    init(at now: Moment) {
        since = now
    }

    /// The source of the telemetry; nil if there is none.
    var source: TelemetrySource? { state.isLiveBLE ? .ble : state.isAPRS ? .sondehub : nil }

    /// When time alone may next change the state; nil if it can't.
    var deadline: MonotonicTime? { .earliest(stateDeadline, hearing.deadline) }

    private var stateDeadline: MonotonicTime? {
        switch state {
        case .startup, .waitingForAPRS: since.monotonic.advanced(by: Self.waitLimit)
        case .aprsFlying, .aprsLanded: sondeHubTimeOut
        case .noTelemetry: reason == .noPosition ? signalEnd : nil
        case .liveBLEFlying, .liveBLELanded: nil
        }
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        let wait = max(Self.shortestTimeOut, facts.sondeHub.interval * Self.intervalsToTimeOut)
        sondeHubTimeOut = facts.sondeHub.lastAnswer?.monotonic.advanced(by: wait)
        signalEnd = facts.placelessAt?.advanced(by: Silence.unheard.begins)
        let (previous, now) = (state, turn.now.monotonic)
        if let (next, reason) = transition(facts, at: now), next != state {
            (state, since, self.reason) = (next, turn.now, reason)
            if reason == .stopping { hearing = HearingWatch() }
        } else if state == .noTelemetry {
            self.reason = whyNothing(facts, at: now, otherwise: self.reason == .noPosition ? .timedOut : self.reason)
        }
        // A sonde of which SondeHub has only old frames is not heard.
        let isHeard = !state.isAPRS || isFreshOnSondeHub(facts, at: now)
        let isSaid = isHeard && reason != .stopping && hearing.changed(to: state, at: now)
        let change = Announcement.stateChanged(state, from: previous, reason)
        // The landing in silence already tells it.
        let isImplied = state == .aprsLanded && reason == .sondeHubSilent && turn.hasAnnounced(.landed)
        if state == previous {
            if isSaid { turn.say(change) }
        } else if isImplied {
            turn.overtake(by: change)
        } else {
            turn.announce(change, isSpoken: isSaid)
        }
        hearing.heard(at: facts.sonde.receivedAt)
        hearing.receiverAnswered(at: facts.receiver.firstFrameAt)
        if let lost = hearing.lost(at: now) { turn.say(.stateChanged(lost, from: state, .receiverTelemetryLost)) }
    }

    /// Whether SondeHub's stations hear the followed sonde now.
    private func isFreshOnSondeHub(_ facts: Facts, at now: MonotonicTime) -> Bool {
        Silence(since: facts.sondeHub.sondeHeardAt, at: now) < .silent
    }

    /// The first transition of the present state that applies; nil to stay.
    private func transition(_ facts: Facts, at now: MonotonicTime) -> (TelemetryState, TelemetryState.Reason)? {
        if facts.run.isStopping { return (.noTelemetry, .stopping) }
        let isLanded = facts.sonde.phase.phase == .landed
        if facts.receiver.givesPositions {
            let next = isLanded ? TelemetryState.liveBLELanded : .liveBLEFlying
            guard state.isLiveBLE else { return (next, .receiverTelemetry) }
            return (next, isLanded ? .landed : .airborne)
        }
        let isDue = now.hasReached(stateDeadline)
        func onSondeHub(_ reason: TelemetryState.Reason) -> (TelemetryState, TelemetryState.Reason) {
            let isSilent = facts.sonde.phase.reason == .sondeHubSilent && !isFreshOnSondeHub(facts, at: now)
            return (isLanded ? .aprsLanded : .aprsFlying, isSilent ? .sondeHubSilent : reason)
        }
        switch state {
        case .startup:
            guard isDue || facts.receiver.hasAnswered && facts.sondeHub.hasAnswered else { return nil }
            if facts.sondeHub.hasSonde { return onSondeHub(.sondeHubTelemetry) }
            return (.noTelemetry, whyNothing(facts, at: now, otherwise: isDue ? .timedOut : .nothingHeard))
        case .liveBLEFlying, .liveBLELanded: return (.waitingForAPRS, .receiverTelemetryLost)
        case .waitingForAPRS:
            if facts.sondeHub.hasSonde { return onSondeHub(.sondeHubTelemetry) }
            return isDue ? (.noTelemetry, whyNothing(facts, at: now, otherwise: .timedOut)) : nil
        case .aprsFlying, .aprsLanded:
            if facts.sondeHub.lastAnswer == nil { return (.noTelemetry, .sondeChanged) }
            if isDue { return (.noTelemetry, whyNothing(facts, at: now, otherwise: .sondeHubTimedOut)) }
            return onSondeHub(isLanded ? .landed : .airborne)
        case .noTelemetry:
            return facts.sondeHub.hasSonde && !isTimedOut(at: now) ? onSondeHub(.sondeHubTelemetry) : nil
        }
    }

    /// Why there is no telemetry. The followed sonde that the receiver hears says no place, whatever came before; a signal may come
    /// and go while the state stays.
    private func whyNothing(
        _ facts: Facts, at now: MonotonicTime, otherwise: TelemetryState.Reason
    ) -> TelemetryState.Reason {
        facts.hearsNoPlace(at: now) && !facts.run.isStopping ? .noPosition : otherwise
    }

    /// Whether SondeHub has timed out.
    private func isTimedOut(at now: MonotonicTime) -> Bool { now.hasReached(sondeHubTimeOut) }
}

extension TelemetryState {
    var isLiveBLE: Bool { self == .liveBLEFlying || self == .liveBLELanded }
    var isFlying: Bool { self == .liveBLEFlying || self == .aprsFlying }
    var isAPRS: Bool { self == .aprsFlying || self == .aprsLanded }
    /// Whether telemetry comes from one of the sources.
    var hasTelemetry: Bool { isLiveBLE || isAPRS }
    /// Whether SondeHub is polled: in all states except those with the receiver's telemetry.
    var polls: Bool { !isLiveBLE }
}
