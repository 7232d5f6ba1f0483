import ReceiverProtocol

/// The gateway's whole mind: events in, actions out. No clock, no I/O, no randomness, so a chase can be replayed.
public struct GatewayMachine: Sendable {
    let topics: Topics
    var decoder: CommandDecoder
    var link = ReceiverLink()
    var identity = SondeIdentity()
    var channels = TelemetryChannels()
    var telemetryState: TelemetryState
    var commands = CommandLoop()
    var rate = CommandRate()
    var counters = GatewayCounters()
    var newest = NewestMessages()
    var timers = TimerBook()
    let startedAt: Moment
    var isBrokerConnected = false
    var hasHadLink = false
    var hasWarnedOfAPRSNames = false
    /// The receiver's last radio frame: its tuning and firmware.
    var lastRadio: RadioFrame?
    var lastConfiguration: ReceiverConfiguration?
    /// Answers given while the broker was away; the newest ``heldAnswersLimit``.
    var heldAnswers: [OutgoingMessage] = []

    static let heldAnswersLimit = 64

    public init(topics: Topics, policy: CommandPolicy, startedAt: Moment) {
        self.topics = topics
        decoder = CommandDecoder(policy: policy)
        telemetryState = TelemetryState(at: startedAt)
        self.startedAt = startedAt
    }

    /// Takes one event and says what is to be done, in this order.
    public mutating func handle(_ event: GatewayEvent, at now: Moment) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        switch event {
        case .started: start(now, &actions)
        case .linkOpened(let peer): linkOpened(peer, now, &actions)
        case .linkFailed(let error): linkFailed(error, now, &actions)
        case .linkClosed(let loss): linkClosed(loss, now, &actions)
        case .frame(let frame): received(frame, now, &actions)
        case .frameRejected(let reason): counters.reject(reason.rawValue)
        case .writeFinished(let id, let succeeded):
            perform(commands.writeFinished(id, succeeded: succeeded, at: now.monotonic), now, &actions)
        case .timerFired(let id): timerFired(id, now, &actions)
        case .brokerConnected: brokerConnected(now, &actions)
        case .brokerDisconnected: brokerDisconnected()
        case .message(let message): received(message, now, &actions)
        case .healthDue(let health): publishHealth(health, now, &actions)
        case .policyChanged(let policy): decoder.policy = policy
        case .stopping: stop(now, &actions)
        }
        actions += timers.changes(to: deadlines)
        return actions
    }

    /// When each timer is due; the timers follow from the state and are never set by hand.
    private var deadlines: [TimerID: MonotonicTime] {
        var deadlines: [TimerID: MonotonicTime] = [:]
        deadlines[.liveness] = link.silenceDeadline
        deadlines[.positionAge] = link.positionDeadline
        deadlines[.telemetryState] = telemetryState.deadline
        deadlines[.command] = commands.deadline
        deadlines[.settingsRequest] = settingsRequestAt
        return deadlines
    }

    /// When the settings are asked for on this link; nil when they have been, or it has no frame yet.
    var settingsRequestAt: MonotonicTime?

    private mutating func start(_ now: Moment, _ actions: inout [GatewayAction]) {
        publishReceiverState(now, &actions)
        publishState(now, &actions)
    }

    private mutating func timerFired(_ id: TimerID, _ now: Moment, _ actions: inout [GatewayAction]) {
        guard timers.fired(id, at: now.monotonic) else { return }
        switch id {
        case .liveness: checkSilence(now, &actions)
        case .positionAge:
            let before = link.state
            link.checkPositionAge(at: now.monotonic)
            linkMayHaveChanged(from: before, now, &actions)
        case .telemetryState:
            if telemetryState.timedOut(at: now) { publishState(now, &actions) }
        case .settingsRequest:
            settingsRequestAt = nil
            perform(commands.submit(.requestConfiguration, origin: nil, at: now.monotonic), now, &actions)
        case .command: perform(commands.timePassed(at: now.monotonic), now, &actions)
        }
    }

    private mutating func stop(_ now: Moment, _ actions: inout [GatewayAction]) {
        perform(commands.stop(), now, &actions)
        link.closed()
        publishReceiverState(now, &actions)
        announce("gateway_stopped", "The gateway stops.", level: .info, now, &actions)
        publish(
            OutgoingMessage(topic: topics.bridgeState, payload: Array("offline".utf8), isRetained: true, kind: .answer),
            &actions)
    }
}
