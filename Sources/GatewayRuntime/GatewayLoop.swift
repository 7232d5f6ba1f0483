import AsyncAlgorithms
import FlightMath
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import ReceiverProtocol

/// Feeds the machine with events and performs its actions. One task owns the loop and the machine's state.
struct GatewayLoop {
    /// The parts that the loop uses.
    struct Surroundings {
        var inputs: GatewayInputs
        var link: OpenLink
        var broker: any Gateway.MessageBroker
        var inbox: MQTTInbox
        var sources: CallSources
        var store: any GatewayStore
        /// All feeds but MQTT.
        var feeds: [any ReportFeed]
        var notifier: ServiceNotifier
        var setLogLevel: @Sendable (Logger.Level) -> Void
        var log: Logger
    }

    private var machine: GatewayMachine
    var mqtt: MQTTPublisher
    var outbox: Outbox
    var probe = LineProbe()
    /// This turn's messages, behind those of the last turn for which the session had no room.
    var batch: [OutgoingMessage] = []
    /// The session had no room for some of ``batch``.
    var isSessionFull = false
    /// This turn has more events than any receiver sends at once.
    var isFlooded = false
    /// A turn with this many events or more is a flood.
    private static let flood = 20
    /// The number of messages dropped because of the broker's packet limit.
    var tooLarge = 0
    var largeMessages = RepeatedFaults()
    /// The protocol of the broker's session, or of the last one.
    var version = MQTTVersion.v5
    var storeMachine: StoreMachine
    /// Events and answers that wait until the disk has the facts that they tell.
    var held = HeldReports()
    /// A session is open, and it took messages the last time the loop waited for it.
    var isBrokerTaking = false
    private var repeats = RepeatedFaults()
    /// The machine's timers.
    private var deadlines: [TimerID: MonotonicTime] = [:]
    private var wakeUp: WakeUp
    private var calls: [CallID: Task<Void, Never>] = [:]
    let surroundings: Surroundings

    init(machine: GatewayMachine, mqtt: MQTTPublisher, storeMachine: StoreMachine, surroundings: Surroundings) {
        self.machine = machine
        self.mqtt = mqtt
        outbox = Outbox(states: mqtt.stateTopics)
        self.storeMachine = storeMachine
        self.surroundings = surroundings
        wakeUp = WakeUp(surroundings.inputs)
    }

    var inputs: GatewayInputs { surroundings.inputs }
    var broker: any Gateway.MessageBroker { surroundings.broker }
    var store: any GatewayStore { surroundings.store }
    var log: Logger { surroundings.log }

    /// Returns after the event `stopping`, when the broker's last acknowledgements are in or their time is over.
    mutating func run(_ group: inout DiscardingTaskGroup) async {
        handleStore(.timePassed, at: inputs.clock.now, &group)
        setWakeUp()
        var isStopping = false
        for await input in inputs.channel {
            isFlooded = input.events.count >= Self.flood
            for (index, event) in input.events.enumerated() where !isStopping {
                if isWaiting { await waitForRoom() }
                handle(event, at: input.at, &group, moreFollows: index + 1 < input.events.count)
                if event.triesLink { surroundings.notifier.finished(.connection) }
                guard event == .stopping else { continue }
                isStopping = true
                releaseAll(at: input.at)
                surroundings.notifier.stopping()
                flush(at: input.at)
                sayLast(mqtt.stop(at: input.at), at: input.at)
                group.addTask { [broker] in await broker.stop() }
            }
            for event in input.broker { handleBroker(event, at: input.at, &group) }
            for event in input.store { handleStore(event, at: input.at, &group) }
            if input.isWake { timePassed(at: input.at, &group) }
            if input.isHeartbeat { surroundings.notifier.alive() }
            drain(at: input.at)
            settleStore(at: input.at, &group)
            if storeMachine.isClosed { break }
            setWakeUp()
        }
        for task in calls.values { task.cancel() }
        wakeUp.cancel()
        inputs.channel.finish()
    }

    mutating func handle(
        _ event: GatewayEvent, at now: Moment, _ group: inout DiscardingTaskGroup, moreFollows: Bool = false
    ) {
        var event = event
        if case .healthDue = event { event = .healthDue(processHealth(at: now)) }
        if case .answered(let id, let answer) = event, answer.isLast { calls[id] = nil }
        let actions = machine.handle(event, at: now, moreFollows: moreFollows)
        inputs.correctedClock.follow(machine.clockCorrection)
        let wait = HeldReports.Wait(for: actions)
        for action in actions {
            if case .report(let report) = action, wait.concerns(report) {
                hold(report, at: now)
            } else {
                perform(action, at: now, &group)
            }
        }
        awaitStore(at: now)
    }

    private func processHealth(at now: Moment) -> ProcessHealth {
        let memory = ProcessMemory.current
        return ProcessHealth(
            residentBytes: memory.residentBytes, anonymousBytes: memory.anonymousBytes, brokerOutages: mqtt.outages,
            brokerAway: mqtt.lostAt?.duration(to: now.monotonic), brokerLine: broker.line,
            otherBroker: broker.otherServer,
            queueDepth: broker.queueDepth + outbox.count + batch.count, superseded: outbox.superseded,
            spoolDepth: storeMachine.depth, replayed: storeMachine.replayed, dropped: storeMachine.dropped + tooLarge,
            rowsLeftOut: surroundings.store.rowsLeftOut,
            incomingDropped: broker.incomingDropped, refusedSubscriptions: broker.refusedSubscriptions,
            feeds: surroundings.feeds.flatMap(\.counts) + mqtt.counts)
    }

    // MARK: - Time

    private mutating func timePassed(at now: Moment, _ group: inout DiscardingTaskGroup) {
        wakeUp.fired(at: now.monotonic)
        for id in TimerID.allCases {
            guard let deadline = deadlines[id], now.monotonic >= deadline else { continue }
            deadlines[id] = nil
            handle(.timerFired(id), at: now, &group)
        }
        send(mqtt.timePassed(at: now), at: now)
    }

    private mutating func setWakeUp() {
        wakeUp.set(.earliest(mqtt.deadline, storeMachine.deadline, outbox.deadline, deadlines.values.min()))
    }

    // MARK: - Actions

    private mutating func perform(_ action: GatewayAction, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .report(let report): show(report, at: now)
        case .record(let entry): handleStore(.recorded(entry), at: now, &group)
        case .write(let id, let bytes): write(bytes, as: id, &group)
        case .closeLink(let session, let loss):
            repeats.log(
                "closing the receiver's link", level: .info, facts: ["why": "\(loss.explanation)"], to: log,
                at: now.monotonic)
            group.addTask { [link = surroundings.link] in await link.close(session: session) }
        case .setTimer(let id, let deadline): deadlines[id] = deadline
        case .cancelTimer(let id): deadlines[id] = nil
        case .call(let id, let request):
            calls[id] = Task(executorPreference: inputs.executor) { [inputs, sources = surroundings.sources] in
                await sources.answer(request) { await inputs.send(.answered(id, $0)) }
            }
        case .cancel(let id): calls.removeValue(forKey: id)?.cancel()
        case .measureHealth: handle(.healthDue(processHealth(at: now)), at: now, &group)
        case .setLogLevel(let level): surroundings.setLogLevel(Logger.Level(level))
        case .forgetHomeAssistant: send(mqtt.forgetHomeAssistant(), at: now)
        case .note(let note): write(note, at: now)
        }
    }

    /// Gives a report to the log, the feeds and the publisher.
    /// - Parameter isPublished: the publisher already has it.
    mutating func show(_ report: Report, isPublished: Bool = false, at now: Moment) {
        if case .announcement(let told) = report, !told.isLater {
            write(GatewayNote(told.level, told.sentence(in: .english)), at: now)
        }
        let corrected = machine.clockCorrection.corrected(now)
        for feed in surroundings.feeds { feed.handle(report, at: corrected) }
        if !isPublished { send(mqtt.publish(report, at: now), at: now) }
    }

    private func write(_ bytes: [UInt8], as id: WriteID, _ group: inout DiscardingTaskGroup) {
        group.addTask { [inputs, log, link = surroundings.link] in
            do throws(TransportError) {
                try await link.write(bytes)
                log.debug("written to the receiver", metadata: ["text": "\(String(decoding: bytes, as: UTF8.self))"])
                await inputs.send(.writeFinished(id, succeeded: true))
            } catch {
                log.warning("can't write to the receiver", metadata: ["why": "\(error)"])
                await inputs.send(.writeFinished(id, succeeded: false))
            }
        }
    }

    private mutating func write(_ note: GatewayNote, at now: Moment) {
        let isFault = note.level == .warning || note.level == .error
        guard let count = repeats.admits(note.message, isFault: isFault, at: now.monotonic) else { return }
        var metadata: Logger.Metadata = [:]
        for fact in note.facts { metadata[fact.key] = "\(fact.value)" }
        if count > 1 { metadata["times"] = "\(count)" }
        log.log(level: Logger.Level(note.level), "\(note.message)", metadata: metadata)
    }
}

extension GatewayEvent {
    /// The first attempt to open the receiver's link has ended, so the start is complete.
    fileprivate var triesLink: Bool {
        switch self {
        case .linkOpened, .linkFailed: true
        case .started, .recalled, .linkClosed, .linkReport, .frame, .frameRejected, .writeFinished, .timerFired,
            .command,
            .healthDue, .policyChanged, .chaseChanged, .carSharingChanged, .answered, .carFix, .carFixRefused,
            .carConnection, .bearingHeard, .pageWatched, .townsFound,
            .bridgeInfoHeard, .storeChanged, .storeReplaced, .stopping:
            false
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: GatewayNote.Level) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
