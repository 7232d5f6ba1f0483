import FlightMath
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import ReceiverProtocol

// The store's side of the loop: feeds the store's machine and performs its actions.

extension GatewayLoop {
    mutating func handleStore(_ event: StoreMachine.Event, at now: Moment, _ group: inout DiscardingTaskGroup) {
        var isFull = false
        for action in storeMachine.handle(event, at: now.monotonic) {
            if case .replay(let message) = action {
                // Room that comes now is for the message that was refused: the replay keeps the order.
                isFull = isFull || !replay(message, at: now)
                if isFull { note(.replayRefused(message.key), at: now) }
            } else {
                perform(action, at: now, &group)
            }
        }
    }

    /// Hands over an event that leads to no actions at once.
    mutating func note(_ event: StoreMachine.Event, at now: Moment) {
        _ = storeMachine.handle(event, at: now.monotonic)
    }

    mutating func keep(_ message: OutgoingMessage, at now: Moment) {
        if let spooled = message.spooled(at: now) { note(.kept(spooled), at: now) }
    }

    /// Hands over the acknowledgements. Call it before the session's end, too, or the messages would be sent again.
    mutating func noteAcknowledged(at now: Moment) {
        let keys = inputs.acknowledgedKeys()
        if !keys.isEmpty { note(.acknowledged(keys), at: now) }
    }

    /// Ends a turn: performs the store's actions that are due.
    mutating func settleStore(at now: Moment, _ group: inout DiscardingTaskGroup) {
        noteAcknowledged(at: now)
        handleStore(.timePassed, at: now, &group)
        // The store may have released reports.
        if !isSessionFull { flush(at: now) }
    }

    private mutating func perform(_ action: StoreMachine.Action, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .open:
            call { store throws(StoreError) in .opened(try await store.open(at: now.wall)) }
        case .start(let memory):
            surroundings.notifier.finished(.store)
            handle(.started(memory), at: now, &group)
        case .recall(let memory): handle(.recalled(memory), at: now, &group)
        case .save(let batch):
            let wall = now.isClockSynced ? now.wall : nil
            call { store throws(StoreError) in .saved(try await store.save(batch, now: wall)) }
        case .sync:
            call { store throws(StoreError) in
                try await store.sync()
                return .synced
            }
        case .reached(let id, let isDurable): release(id, isDurable: isDurable, at: now)
        case .load(let key, let limit):
            let wall = now.isClockSynced ? now.wall : nil
            call { store throws(StoreError) in
                .loaded(try await store.messages(after: key, limit: limit, now: wall))
            }
        case .replay: break  // See ``handleStore(_:at:_:)``.
        case .tell(let failure): handle(.storeChanged(failure), at: now, &group)
        case .closed(let unsaved, let why):
            guard unsaved > 0, let why else { return }
            log.error(
                "messages and points of this run were not saved", metadata: ["count": "\(unsaved)", "why": "\(why)"])
        }
    }

    /// - Returns: false if the session has no room. Live messages go first.
    private mutating func replay(_ message: SpooledMessage, at now: Moment) -> Bool {
        var outgoing = OutgoingMessage(topic: message.topic, payload: message.payload)
        outgoing.key = message.key
        switch isWaiting ? .full : broker.publish(outgoing) {
        case .taken: return true
        case .full, .offline: return false
        case .tooLarge(let limit):
            note(.acknowledged([message.key]), at: now)
            forget(outgoing, limit: limit, at: now)
            return true
        }
    }

    // MARK: - Reports that wait for the disk

    /// Holds a report until the facts that it tells are safe from a power cut. Without a session an event goes to the
    /// spool at once. Its message there is then one of the facts that must be safe before the feeds get the report.
    mutating func hold(_ report: Report, at now: Moment) {
        let isSpooled = if case .announcement = report { !mqtt.isConnected } else { false }
        if isSpooled { send(mqtt.publish(report, at: now), at: now) }
        held.add(report, isPublished: isSpooled)
    }

    /// Asks the store's machine for an event once the facts of the newly held reports are safe. Call it after the
    /// turn's records.
    mutating func awaitStore(at now: Moment) {
        for wait in held.begin() { note(.awaited(wait.id, limit: wait.limit), at: now) }
    }

    private mutating func release(_ id: UInt64, isDurable: Bool, at now: Moment) {
        guard let entry = held.remove(id) else { return }
        show(entry.report(isDurable: isDurable), isPublished: entry.isPublished, at: now)
    }

    /// Releases everything, because the gateway stops.
    mutating func releaseAll(at now: Moment) {
        for entry in held.removeAll() { show(entry.report(isDurable: false), isPublished: entry.isPublished, at: now) }
    }

    /// Starts the call outside the task group, so that a hanging disk does not delay the stop.
    private func call(
        _ body: @escaping @Sendable (any GatewayStore) async throws(StoreError) -> StoreMachine.Event
    ) {
        Task(executorPreference: inputs.executor) { [inputs, store] in
            do throws(StoreError) {
                await inputs.send(store: try await body(store))
            } catch {
                await inputs.send(store: .failed(error))
            }
        }
    }
}

extension OutgoingMessage {
    /// The message as the spool keeps it; nil if it has no history.
    func spooled(at now: Moment) -> SpooledMessage? {
        guard let key, let historyTopic else { return nil }
        return SpooledMessage(key: key, topic: historyTopic, payload: payload, at: now.isClockSynced ? now.wall : nil)
    }
}
