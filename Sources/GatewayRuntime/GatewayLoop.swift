import AsyncAlgorithms
import GatewayCore
import Logging
import ReceiverProtocol

/// The loop around the machine. One task owns it; nothing else touches the machine's state.
struct GatewayLoop {
    private var machine: GatewayMachine
    private var outbox = Outbox()
    /// The session is up and took messages when it was last given time to.
    private var isBrokerTaking = false
    private var repeats = RepeatedFaults()
    private var timers: [TimerID: Task<Void, Never>] = [:]
    private let inputs: GatewayInputs
    private let link: OpenLink
    private let broker: any GatewayCore.MessageBroker
    private let sondeHub: any SondeHubSource
    private var tracks: [CallID: Task<Void, Never>] = [:]
    private let log: Logger

    init(
        machine: GatewayMachine, inputs: GatewayInputs, link: OpenLink, broker: any GatewayCore.MessageBroker,
        sondeHub: any SondeHubSource, log: Logger
    ) {
        self.sondeHub = sondeHub
        self.machine = machine
        self.inputs = inputs
        self.link = link
        self.broker = broker
        self.log = log
    }

    /// The longest that a full session holds up the receiver, seconds.
    private static let patience = 0.25

    /// Returns after the event `stopping`.
    mutating func run(_ group: inout DiscardingTaskGroup) async {
        take(.started, at: inputs.clock.now, &group)
        for await input in inputs.channel {
            for event in input.events {
                if !outbox.isEmpty { await waitForRoom() }
                take(event, at: input.at, &group)
            }
            if !outbox.isEmpty { drain() }
            if input.events.contains(.stopping) { break }
        }
        for task in Array(timers.values) + Array(tracks.values) { task.cancel() }
        inputs.channel.finish()
    }

    private mutating func take(_ event: GatewayEvent, at now: Moment, _ group: inout DiscardingTaskGroup) {
        var event = event
        if case .healthDue(var health) = event {
            health.queueDepth += outbox.count
            health.superseded = outbox.superseded
            health.dropped = outbox.dropped
            event = .healthDue(health)
        }
        if event == .brokerConnected { isBrokerTaking = true }
        if event == .brokerDisconnected {
            isBrokerTaking = false
            outbox.sessionEnded()
        }
        for action in machine.handle(event, at: now) { perform(action, at: now, &group) }
    }

    private mutating func perform(_ action: GatewayAction, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .publish(let message): publish(message)
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

    /// In order: what waits goes first.
    private mutating func publish(_ message: OutgoingMessage) {
        if outbox.isEmpty, broker.publish(message) { return }
        outbox.add(message)
    }

    private mutating func drain() {
        outbox.drain { [broker] in broker.publish($0) }
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
