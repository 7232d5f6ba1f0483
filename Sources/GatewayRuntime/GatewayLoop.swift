import AsyncAlgorithms
import GatewayCore
import Logging
import ReceiverProtocol

/// The loop around the machine. One task owns it; nothing else touches the machine's state.
struct GatewayLoop {
    private var machine: GatewayMachine
    private var outbox = Outbox()
    var spool: Spool
    var recorder = RecordQueue()
    var storeWatch = StoreWatch()
    var storeTimer: (at: MonotonicTime, task: Task<Void, Never>)?
    /// The session is up and took messages when it was last given time to.
    private var isBrokerTaking = false
    private var repeats = RepeatedFaults()
    private var timers: [TimerID: Task<Void, Never>] = [:]
    let inputs: GatewayInputs
    private let link: OpenLink
    let broker: any GatewayCore.MessageBroker
    private let sondeHub: any SondeHubSource
    let store: any GatewayStore
    private let notifier: ServiceNotifier
    private var tracks: [CallID: Task<Void, Never>] = [:]
    let log: Logger

    init(
        machine: GatewayMachine, spool: Spool, inputs: GatewayInputs, link: OpenLink,
        broker: any GatewayCore.MessageBroker, sondeHub: any SondeHubSource, store: any GatewayStore,
        notifier: ServiceNotifier, log: Logger
    ) {
        self.sondeHub = sondeHub
        self.spool = spool
        self.store = store
        self.notifier = notifier
        self.machine = machine
        self.inputs = inputs
        self.link = link
        self.broker = broker
        self.log = log
    }

    /// The longest that a full session holds up the receiver, seconds.
    private static let patience = 0.25

    /// Returns when the event `stopping` has been handled and the broker has had its time to acknowledge what it got.
    /// - Parameters:
    ///   - memory: what the store had to tell.
    ///   - storeFailure: why it could not be read.
    mutating func run(
        _ group: inout DiscardingTaskGroup, memory: GatewayMemory, storeFailure: StoreError?
    ) async {
        take(.started(memory), at: inputs.clock.now, &group)
        if let storeFailure { note(storeFailure, of: .spool, at: inputs.clock.now, &group) }
        var isStopping = false
        var hasSessionEnded = false
        for await input in inputs.channel {
            for event in input.events where !isStopping {
                if !outbox.isEmpty { await waitForRoom() }
                take(event, at: input.at, &group)
                if event.triesLink { notifier.ready() }
                guard event == .stopping else { continue }
                isStopping = true
                notifier.stopping()
                group.addTask { [broker] in await broker.stop() }
            }
            for event in input.spool { take(event, at: input.at, &group) }
            for event in input.recorder { take(event, at: input.at, &group) }
            if input.isHeartbeat { notifier.alive() }
            hasSessionEnded = hasSessionEnded || input.spool.contains(.sessionEnded)
            // What is being recorded must not be recorded a second time: a clock that was set would move it twice.
            if isStopping, hasSessionEnded, !recorder.isCalling { break }
            if !outbox.isEmpty { drain() }
            setStoreTimer()
        }
        for task in Array(timers.values) + Array(tracks.values) { task.cancel() }
        storeTimer?.task.cancel()
        inputs.channel.finish()
    }

    mutating func take(_ event: GatewayEvent, at now: Moment, _ group: inout DiscardingTaskGroup) {
        takeAcknowledged(at: now)
        var event = event
        if case .healthDue(var health) = event {
            health.queueDepth += outbox.count
            health.superseded = outbox.superseded
            (health.spoolDepth, health.replayed, health.dropped) = (spool.depth, spool.replayed, spool.dropped)
            event = .healthDue(health)
        }
        if event == .brokerConnected {
            isBrokerTaking = true
            take(Spool.Event.sessionBegan, at: now, &group)
        }
        if event == .brokerDisconnected { sessionEnded(now, &group) }
        for action in machine.handle(event, at: now) { perform(action, at: now, &group) }
    }

    /// What the session had and did not acknowledge, and what waited for it, is the spool's now; in the order of keys.
    private mutating func sessionEnded(_ now: Moment, _ group: inout DiscardingTaskGroup) {
        isBrokerTaking = false
        take(Spool.Event.sessionEnded, at: now, &group)
        for message in outbox.sessionEnded() { keep(message, at: now) }
    }

    private mutating func perform(_ action: GatewayAction, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .publish(let message): publish(message, at: now)
        case .spool(let message): keep(numbered(message), at: now)
        case .record(let entry): recorder.add(entry, at: now.monotonic)
        case .write(let id, let bytes):
            group.addTask { [inputs, link, log] in
                do throws(TransportError) {
                    try await link.write(bytes)
                    log.debug(
                        "written to the receiver", metadata: ["text": "\(String(decoding: bytes, as: UTF8.self))"])
                    await inputs.send(.writeFinished(id, succeeded: true))
                } catch {
                    log.warning("can't write to the receiver", metadata: ["why": "\(error)"])
                    await inputs.send(.writeFinished(id, succeeded: false))
                }
            }
        case .closeLink(let loss):
            log.info("closing the receiver's link", metadata: ["why": "\(loss.explanation)"])
            group.addTask { [link] in await link.close() }
        case .setTimer(let id, let deadline):
            timers[id]?.cancel()
            timers[id] = Task { [inputs] in
                await inputs.clock.sleep(until: deadline)
                if !Task.isCancelled { await inputs.send(.timerFired(id)) }
            }
        case .cancelTimer(let id):
            timers[id]?.cancel()
            timers[id] = nil
        case .pollSondeHub(let id, let query):
            group.addTask { [inputs, sondeHub] in
                await inputs.send(.sondeHubAnswered(id, await sondeHub.result(of: query)))
            }
        case .fetchTrack(let id, let serial, let duration): fetchTrack(id, serial, duration)
        case .cancelTrack(let id): tracks.removeValue(forKey: id)?.cancel()
        case .note(let note): write(note, at: now)
        }
    }

    private mutating func fetchTrack(_ id: CallID, _ serial: SondeSerial, _ duration: TrackDuration) {
        // One at a time; those that have ended are of no use any more.
        tracks = [
            id: Task { [inputs, sondeHub] in
                do throws(SondeHubError) {
                    try await sondeHub.track(of: serial, last: duration) { records in
                        await inputs.send(.trackReceived(id, records))
                    }
                    await inputs.send(.trackEnded(id, nil))
                } catch {
                    await inputs.send(.trackEnded(id, error))
                }
            }
        ]
    }

    private mutating func numbered(_ message: OutgoingMessage) -> OutgoingMessage {
        guard message.historyTopic != nil else { return message }
        var copy = message
        copy.key = spool.nextKey()
        return copy
    }

    /// In order: what waits goes first.
    private mutating func publish(_ message: OutgoingMessage, at now: Moment) {
        let message = numbered(message)
        switch outbox.isEmpty ? broker.publish(message) : .full {
        case .taken:
            if let spooled = message.spooled(at: now) { spool.sent(spooled, at: now.monotonic) }
        case .full: if let displaced = outbox.add(message) { keep(displaced, at: now) }
        case .offline: keep(message, at: now)
        }
    }

    private mutating func drain() {
        let now = inputs.clock.now
        var sent: [SpooledMessage] = []
        outbox.drain { [broker] message in
            guard broker.publish(message) == .taken else { return false }
            if let spooled = message.spooled(at: now) { sent.append(spooled) }
            return true
        }
        for message in sent { spool.sent(message, at: now.monotonic) }
        if outbox.isEmpty { isBrokerTaking = true }
    }

    /// Gives a broker that lags behind a burst the time to take it, so that no frame is lost to a newer one. A broker
    /// that takes nothing must not hold up the receiver: it is not waited for again until it does.
    private mutating func waitForRoom() async {
        let clock = inputs.clock
        let deadline = clock.now.monotonic.advanced(by: Self.patience)
        drain()
        while isBrokerTaking, !outbox.isEmpty {
            isBrokerTaking = clock.now.monotonic < deadline
            await clock.sleep(until: clock.now.monotonic.advanced(by: 0.002))
            drain()
        }
    }

    private mutating func write(_ note: GatewayNote, at now: Moment) {
        guard let count = repeats.admits(note.message, at: now.monotonic) else { return }
        var metadata: Logger.Metadata = [:]
        for fact in note.facts { metadata[fact.key] = "\(fact.value)" }
        if count > 1 { metadata["times"] = "\(count)" }
        log.log(level: Logger.Level(note.level), "\(note.message)", metadata: metadata)
    }
}

extension GatewayEvent {
    /// The receiver was found, or not: the gateway is at its work.
    fileprivate var triesLink: Bool {
        switch self {
        case .linkOpened, .linkFailed: true
        case .started, .linkClosed, .linkReport, .frame, .frameRejected, .writeFinished, .timerFired, .brokerConnected,
            .brokerDisconnected, .message, .healthDue, .policyChanged, .sondeHubAnswered, .trackReceived, .trackEnded,
            .storeChanged, .storeReplaced, .stopping:
            false
        }
    }
}

extension SondeHubSource {
    fileprivate func result(of query: SondeHubQuery) async -> Result<SondeHubAnswer, SondeHubError> {
        do throws(SondeHubError) {
            return .success(try await sondes(query))
        } catch {
            return .failure(error)
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
