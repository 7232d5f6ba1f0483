import ReceiverProtocol

/// The gateway's whole mind: events in, actions out. No clock, no I/O, no randomness, so a chase can be replayed.
public struct GatewayMachine: Sendable {
    let topics: Topics
    /// Nil leaves Home Assistant alone.
    let discovery: HomeAssistantDiscovery?
    var discoveryAt: MonotonicTime?
    var decoder: CommandDecoder
    var link = ReceiverLink()
    var identity = SondeIdentity()
    var channels = TelemetryChannels()
    var telemetryState: TelemetryState
    /// Of ``identity``'s sonde.
    var flight = Flight()
    var takenUp = TakenUp()
    var publishedPhase = PhaseVerdict(.unknown, nil)
    var hunted: HuntedSonde
    var poll: SondeHubPoll
    var gapFill: GapFill?
    var frequencySync: FrequencySync
    /// SondeHub's newest frame of that sonde.
    var told: ToldRecord?
    /// When the last position of either source came, and when the receiver's last telemetry ended.
    var lastPositionAt: MonotonicTime?
    var receiverSilentSince: MonotonicTime?
    var utc = UTCLine()
    private var calls: UInt64 = 0
    var commands = CommandLoop()
    var rate = CommandRate()
    var counters = GatewayCounters()
    var newest = NewestMessages()
    var timers = TimerBook()
    let startedAt: Moment
    /// By the gateway's clock: the points from there on are this run's.
    private var runBegan: WallTime
    var isBrokerConnected = false
    var hasHadLink = false
    /// The last link was closed for good: nothing new is begun.
    var isStopping = false
    var hasWarnedOfAPRSNames = false
    /// Told since the receiver was last online.
    var announcedRepairs: Set<LinkRepair> = []
    /// The receiver's last radio frame: its tuning and firmware.
    var lastRadio: RadioFrame? { lastHeard?.frame }
    var lastHeard: HeardFrame?
    var lastConfiguration: ReceiverConfiguration?

    public init(
        topics: Topics, policy: CommandPolicy, sondeHub: SondeHubOptions = .off,
        homeAssistant: HomeAssistantOptions? = nil, startedAt: Moment
    ) {
        self.topics = topics
        discovery = homeAssistant.map { HomeAssistantDiscovery(options: $0, topics: topics) }
        decoder = CommandDecoder(policy: policy)
        telemetryState = TelemetryState(at: startedAt, asksSondeHub: sondeHub.isEnabled)
        hunted = HuntedSonde(pinned: sondeHub.hunt)
        poll = SondeHubPoll(sondeHub)
        frequencySync = FrequencySync(sondeHub.frequencySync)
        self.startedAt = startedAt
        runBegan = startedAt.wall
    }

    /// Takes one event and says what is to be done, in this order.
    public mutating func handle(_ event: GatewayEvent, at moment: Moment) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        var now = moment
        if case .started(let memory) = event { utc.notBefore = memory.newestTime }
        if let change = utc.follow(&now) { clockMoved(change, now, &actions) }
        switch event {
        case .started(let memory): start(memory, now, &actions)
        case .linkOpened(let peer): linkOpened(peer, now, &actions)
        case .linkFailed(let error): linkFailed(error, now, &actions)
        case .linkClosed(let loss): linkClosed(loss, now, &actions)
        case .linkReport(let report): linkReported(report, now, &actions)
        case .frame(let frame): received(frame, now, &actions)
        case .frameRejected(let reason): counters.reject(reason.rawValue)
        case .writeFinished(let id, let succeeded):
            perform(commands.writeFinished(id, succeeded: succeeded, at: now.monotonic), now, &actions)
        case .timerFired(let id): timerFired(id, now, &actions)
        case .brokerConnected: brokerConnected(now, &actions)
        case .brokerDisconnected: brokerDisconnected()
        case .message(let message): received(message, now, &actions)
        case .healthDue(let health): publishHealth(health, now, &actions)
        case .policyChanged(let policy):
            let isChanged = decoder.policy.frequencyRange != policy.frequencyRange
            decoder.policy = policy
            if isChanged { publishDiscovery(&actions) }
        case .sondeHubAnswered(let id, let result): sondeHubAnswered(id, result, now, &actions)
        case .trackReceived(let id, let records): trackReceived(id, records)
        case .trackEnded(let id, let error): trackEnded(id, error, now, &actions)
        case .storeChanged(let failure): storeChanged(failure, now, &actions)
        case .storeReplaced(let text): announce("store_replaced", text, level: .error, now, &actions)
        case .stopping: stop(now, &actions)
        }
        poll.setOn(telemetryState.state.polls && !isStopping, at: now.monotonic)
        syncFrequency(now, &actions)
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
        deadlines[.sondeHubPoll] = poll.dueAt
        deadlines[.gapFill] = gapFill?.retryAt
        deadlines[.frequencySync] = frequencySync.deadline
        deadlines[.discovery] = discoveryAt
        return deadlines
    }

    /// When the settings are asked for on this link; nil when they have been, or it has no frame yet.
    var settingsRequestAt: MonotonicTime?

    private mutating func start(_ memory: GatewayMemory, _ now: Moment, _ actions: inout [GatewayAction]) {
        runBegan = now.wall
        takeUp(memory, now, &actions)
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
            telemetry(.timePassed, now, &actions)
        case .settingsRequest:
            settingsRequestAt = nil
            perform(commands.submit(.requestConfiguration, origin: nil, at: now.monotonic), now, &actions)
        case .sondeHubPoll: pollSondeHub(now, &actions)
        case .gapFill: fetchTrack(now, &actions)
        case .frequencySync: break  // Looked at after every event.
        case .command: perform(commands.timePassed(at: now.monotonic), now, &actions)
        case .discovery:
            discoveryAt = nil
            publishDiscovery(&actions)
        }
    }

    mutating func nextCall() -> CallID {
        calls += 1
        return CallID(calls)
    }

    private mutating func clockMoved(
        _ change: UTCLine.Change, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        switch change {
        case .set(let milliseconds):
            channels.clockSet(byMilliseconds: milliseconds)
            flight.clockSet(byMilliseconds: milliseconds, since: runBegan)
            actions.append(.record(.clockSet(since: runBegan, byMilliseconds: milliseconds)))
            runBegan = runBegan.advanced(byMilliseconds: milliseconds)
            actions.append(.note(GatewayNote(.notice, "the clock was set", ["by_s": "\(milliseconds / 1000)"])))
            letGoOfWhatIsOver(now, &actions)
        case .ignored(let milliseconds):
            actions.append(
                .note(
                    GatewayNote(
                        .warning, "the clock was right and has jumped; times go on from before",
                        ["by_s": "\(milliseconds / 1000)"])))
        }
    }

    private mutating func stop(_ now: Moment, _ actions: inout [GatewayAction]) {
        perform(commands.stop(), now, &actions)
        link.closed()
        publishReceiverState(now, &actions)
        announce("gateway_stopped", "The gateway stops.", level: .info, now, &actions)
        publish(
            OutgoingMessage(topic: topics.bridgeState, payload: Array("offline".utf8), isRetained: true),
            &actions)
    }
}
