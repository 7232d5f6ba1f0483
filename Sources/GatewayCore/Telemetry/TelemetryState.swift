import ReceiverProtocol

/// What the shown data is worth and where it comes from: the seven states of `<p>/state`.
///
/// A value: events in, with their instant; what follows for polling and timers is read off its properties.
struct TelemetryState: Equatable, Sendable {
    enum State: String, CaseIterable, Sendable {
        /// Until the receiver and SondeHub have answered, 15 s at most.
        case startup
        /// The receiver hears a sonde in flight.
        case liveBLEFlying
        /// The receiver hears a sonde that lies on the ground.
        case liveBLELanded
        /// The receiver's telemetry stopped a moment ago; SondeHub is asked. 15 s at most.
        case waitingForAPRS
        /// Only SondeHub knows the sonde, in flight.
        case aprsFlying
        /// Only SondeHub knows the sonde, and it is down.
        case aprsLanded
        /// Nobody hears anything.
        case noTelemetry

        var isLiveBLE: Bool { self == .liveBLEFlying || self == .liveBLELanded }
        var isAPRS: Bool { self == .aprsFlying || self == .aprsLanded }
        /// SondeHub is asked in all states but those that the receiver feeds.
        var polls: Bool { !isLiveBLE }
    }

    enum Event: Equatable, Sendable {
        /// The receiver has begun or ceased to give positions.
        case receiverTelemetry(Bool)
        /// The receiver answered in any way: a frame, or the failure to reach it.
        case receiverAnswered
        /// SondeHub returned a usable sonde, or not.
        case sondeHub(isAvailable: Bool)
        /// The flight's phase became or ceased to be `landed`.
        case landed(Bool)
        /// What SondeHub told was about another sonde.
        case sondeChanged
        /// The timer of ``TelemetryState/deadline``, or a late one.
        case timePassed
    }

    /// Why the state is what it is: a closed set, published.
    enum Reason: String, CaseIterable, Sendable {
        case started
        case receiverTelemetry = "receiver_telemetry"
        case receiverTelemetryLost = "receiver_telemetry_lost"
        case sondeHubTelemetry = "sondehub_telemetry"
        case sondeHubTimedOut = "sondehub_timed_out"
        case landed
        case airborne
        /// Receiver and SondeHub have answered, and neither has a sonde.
        case nothingHeard = "nothing_heard"
        case timedOut = "timed_out"
    }

    /// How long startup and waitingForAPRS last at most, seconds.
    static let waitLimit = 15.0
    /// SondeHub has timed out when its last good answer is older than this many poll intervals …
    private static let intervalsToTimeOut = 2.5
    /// … and at least this, seconds.
    private static let shortestTimeOut = 60.0

    private(set) var state = State.startup
    private(set) var since: Moment
    private(set) var reason = Reason.started
    /// The latest answer of SondeHub held a usable sonde; never left over from before the receiver spoke.
    private(set) var isSondeHubAvailable = false
    /// Of SondeHub, since it was last begun to be asked.
    private(set) var lastGoodAnswer: Moment?
    /// SondeHub's present poll interval, seconds.
    var pollInterval = 15.0

    private var hasTelemetry = false
    private var isLanded = false
    private var hasReceiverAnswered = false
    private var hasSondeHubAnswered: Bool

    /// - Parameter asksSondeHub: false when it is switched off: nothing waits for it then.
    init(at now: Moment, asksSondeHub: Bool) {
        since = now
        hasSondeHubAnswered = !asksSondeHub
    }

    /// Who speaks; nil when nobody does.
    var source: TelemetrySource? { state.isLiveBLE ? .ble : state.isAPRS ? .sondehub : nil }

    /// When ``Event/timePassed`` can next change anything; nil in states that wait for nothing.
    var deadline: MonotonicTime? {
        switch state {
        case .startup, .waitingForAPRS: since.monotonic.advanced(by: Self.waitLimit)
        case .aprsFlying, .aprsLanded:
            lastGoodAnswer?.monotonic.advanced(
                by: max(Self.shortestTimeOut, Self.intervalsToTimeOut * pollInterval) + 0.001)
        case .liveBLEFlying, .liveBLELanded, .noTelemetry: nil
        }
    }

    /// Takes an event. Returns true when the state changed.
    mutating func handle(_ event: Event, at now: Moment) -> Bool {
        switch event {
        case .receiverTelemetry(let has): hasTelemetry = has
        case .receiverAnswered: hasReceiverAnswered = true
        case .sondeHub(let isAvailable):
            hasSondeHubAnswered = true
            isSondeHubAvailable = isAvailable
            if isAvailable { lastGoodAnswer = now }
        case .landed(let landed): isLanded = landed
        case .sondeChanged: isSondeHubAvailable = false
        case .timePassed: break
        }
        let isDue = event == .timePassed && deadline.map { now.monotonic >= $0 } ?? false
        guard let (next, reason) = transition(isDue: isDue), next != state else { return false }
        if next.isLiveBLE || next == .waitingForAPRS || reason == .sondeHubTimedOut { isSondeHubAvailable = false }
        state = next
        since = now
        self.reason = reason
        return true
    }

    /// The first rule of the present state that holds; nil to stay.
    private func transition(isDue: Bool) -> (State, Reason)? {
        if hasTelemetry {
            let next = isLanded ? State.liveBLELanded : .liveBLEFlying
            guard state.isLiveBLE else { return (next, .receiverTelemetry) }
            return (next, isLanded ? .landed : .airborne)
        }
        let aprs = isLanded ? State.aprsLanded : .aprsFlying
        switch state {
        case .startup where hasReceiverAnswered && hasSondeHubAnswered:
            return isSondeHubAvailable ? (aprs, .sondeHubTelemetry) : (.noTelemetry, .nothingHeard)
        case .startup where isDue: return isSondeHubAvailable ? (aprs, .sondeHubTelemetry) : (.noTelemetry, .timedOut)
        case .startup: return nil
        case .liveBLEFlying, .liveBLELanded: return (.waitingForAPRS, .receiverTelemetryLost)
        case .waitingForAPRS where isSondeHubAvailable, .noTelemetry where isSondeHubAvailable:
            return (aprs, .sondeHubTelemetry)
        case .waitingForAPRS: return isDue ? (.noTelemetry, .timedOut) : nil
        case .aprsFlying, .aprsLanded:
            if aprs != state { return (aprs, isLanded ? .landed : .airborne) }
            return isDue ? (.noTelemetry, .sondeHubTimedOut) : nil
        case .noTelemetry: return nil
        }
    }
}
