import FlightMath
import Gateway
import Logging
import MQTTPublishing
import ReceiverProtocol

// The broker's side of the loop: the session's events in, the MQTT feed's messages out.

extension GatewayLoop {
    /// The longest that a full session holds up the receiver.
    private static let roomTimeout = Duration.milliseconds(250)
    /// Messages that go to the session at once: one wake of its thread for all of them.
    private static let batchLimit = 64

    mutating func handleBroker(_ input: BrokerInput, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .connected(let version):
            self.version = version
            isBrokerTaking = true
            handleStore(.sessionBegan, at: now, &group)
            send(mqtt.sessionBegan(version, at: now), at: now)
        case .disconnected:
            sessionEnded(now, &group)
            mqtt.sessionEnded()
        case .message(let message):
            switch surroundings.inbox.delivery(of: message, on: version) {
            case .event(let event): handle(event, at: now, &group)
            case .homeAssistant(let news): mqtt.heard(news, at: now)
            case nil: break
            }
        case .deferred(let key): note(.deferred(key), at: now)
        case .closed:
            sessionEnded(now, &group)
            handleStore(.closing, at: now, &group)
        }
    }

    /// What the session had and did not acknowledge, and what waited for it, is the spool's now; in the order of keys.
    private mutating func sessionEnded(_ now: Moment, _ group: inout DiscardingTaskGroup) {
        flush(at: now)
        isBrokerTaking = false
        noteAcknowledged(at: now)
        handleStore(.sessionEnded, at: now, &group)
        for message in outbox.sessionEnded() { keep(message, at: now) }
    }

    mutating func send(_ outputs: [MQTTPublisher.Output], at now: Moment) {
        for output in outputs {
            switch output {
            case .publish(let message):
                add(message)
                if batch.count >= Self.batchLimit { flush(at: now) }
            case .spool(let message): keep(numbered(message), at: now)
            }
        }
    }

    /// In a flood, of what says it all by its newest one of a turn is enough; it keeps its place, as values go before
    /// what shows them.
    private mutating func add(_ message: OutgoingMessage) {
        let isNewestEnough = isFlooded && message.isRetained && message.historyTopic == nil
        let older = isNewestEnough ? batch.lastIndex { $0.topic == message.topic && $0.historyTopic == nil } : nil
        if let older { batch[older] = message } else { batch.append(numbered(message)) }
    }

    private mutating func numbered(_ message: OutgoingMessage) -> OutgoingMessage {
        guard message.historyTopic != nil else { return message }
        var copy = message
        copy.key = storeMachine.nextKey()
        return copy
    }

    /// Hands the turn's messages to the session, in order: what waits goes first. What a full session has no room for
    /// stays, as long as the broker takes something.
    mutating func flush(at now: Moment) {
        guard !batch.isEmpty else { return }
        let messages = batch
        batch.removeAll(keepingCapacity: true)
        isHeldUp = false
        guard outbox.isEmpty else {
            for message in messages { wait(message, at: now) }
            return
        }
        for (message, outcome) in zip(messages, broker.publish(messages)) {
            switch outcome {
            case .taken: if let spooled = message.spooled(at: now) { note(.sent(spooled), at: now) }
            case .full where isBrokerTaking:
                batch.append(message)
                isHeldUp = true
            case .full: wait(message, at: now)
            case .offline: keep(message, at: now)
            case .tooLarge(let limit): forget(message, limit: limit, at: now)
            }
        }
    }

    private mutating func wait(_ message: OutgoingMessage, at now: Moment) {
        if let displaced = outbox.add(message) { keep(displaced, at: now) }
    }

    /// The broker's packet limit keeps this one from it, and no other.
    mutating func forget(_ message: OutgoingMessage, limit: Int, at now: Moment) {
        tooLarge += 1
        guard let count = largeMessages.admits(message.topic, at: now.monotonic) else { return }
        var metadata: Logger.Metadata = [
            "topic": "\(message.topic)", "bytes": "\(message.payload.count)", "limit": "\(limit)",
        ]
        if count > 1 { metadata["times"] = "\(count)" }
        log.warning("a message is too large for the broker; it is dropped", metadata: metadata)
    }

    /// What waits for the session, as far as it takes it.
    mutating func drain(at now: Moment) {
        if !outbox.isEmpty { drainOutbox(at: now) }
        flush(at: now)
    }

    private mutating func drainOutbox(at now: Moment) {
        var sent: [SpooledMessage] = []
        var refused: [(message: OutgoingMessage, limit: Int)] = []
        outbox.drain { [broker] message in
            switch broker.publish(message) {
            case .taken: break
            case .tooLarge(let limit):
                refused.append((message, limit))
                return true
            case .full, .offline: return false
            }
            if let spooled = message.spooled(at: now) { sent.append(spooled) }
            return true
        }
        for message in sent { note(.sent(message), at: now) }
        for (message, limit) in refused { forget(message, limit: limit, at: now) }
        if outbox.isEmpty { isBrokerTaking = true }
    }

    /// The session has no room for some of what was published.
    var isWaiting: Bool { isHeldUp || !outbox.isEmpty }

    /// Gives a broker that lags behind a burst the time to take it, so that no frame is lost to a newer one. A broker
    /// that takes nothing must not hold up the receiver: it is not waited for again until it does.
    mutating func waitForRoom() async {
        // The broker's time, whatever the flight's is.
        let clock = SystemGatewayClock(executor: inputs.executor)
        let deadline = clock.now.monotonic.advanced(by: Self.roomTimeout)
        drain(at: inputs.clock.now)
        while isBrokerTaking, isWaiting {
            isBrokerTaking = clock.now.monotonic < deadline
            await clock.sleep(until: clock.now.monotonic.advanced(by: .milliseconds(2)))
            drain(at: inputs.clock.now)
        }
    }
}
