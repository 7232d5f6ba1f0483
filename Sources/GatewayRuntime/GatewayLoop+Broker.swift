import FlightMath
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import ReceiverProtocol

// The broker's side of the loop: the session's events in, the publisher's messages out.

extension GatewayLoop {
    /// The longest time that a full session delays the receiver.
    private static let roomTimeout = Duration.milliseconds(250)
    /// Messages that one call hands to the session, which wakes its thread once for them.
    private static let batchLimit = 64

    mutating func handleBroker(_ input: BrokerInput, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .connected(let version):
            self.version = version
            isBrokerTaking = true
            outbox.sessionBegan(at: now.monotonic)
            probe = LineProbe()
            handleStore(.sessionBegan, at: now, &group)
            send(mqtt.sessionBegan(version, at: now), at: now)
        case .disconnected:
            sessionEnded(now, &group)
            mqtt.sessionEnded(at: now.monotonic)
        case .message(let message):
            switch surroundings.inbox.delivery(of: message, on: version) {
            case .event(let event): handle(event, at: now, &group)
            case .homeAssistant(let news): mqtt.heard(news, at: now)
            case .offline: mqtt.heardOffline(at: now.monotonic)
            case nil: break
            }
        case .deferred(let key): note(.deferred(key), at: now)
        case .returned(let messages): for message in messages { takeBack(message, at: now) }
        case .closed:
            sessionEnded(now, &group)
            handleStore(.closing, at: now, &group)
        }
    }

    /// The spool replays the unacknowledged and the waiting messages, in the order of their keys.
    private mutating func sessionEnded(_ now: Moment, _ group: inout DiscardingTaskGroup) {
        flush(at: now)
        isBrokerTaking = false
        noteAcknowledged(at: now)
        handleStore(.sessionEnded, at: now, &group)
        outbox.sessionEnded()
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

    /// Hands over the last messages, also while others wait for room: they tell that the gateway is gone, and a session that
    /// ends in order leaves no will.
    mutating func sayLast(_ outputs: [MQTTPublisher.Output], at now: Moment) {
        for output in outputs {
            switch output {
            case .publish(let message): _ = broker.publish(numbered(message))
            case .spool(let message): keep(numbered(message), at: now)
            }
        }
    }

    /// Adds a message to this turn's batch. In a flood a retained message without history replaces the earlier one of
    /// its topic. It keeps the earlier one's place, because the values go before the messages that depend on them.
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

    /// Hands the turn's messages to the session in order, after those in the outbox. Messages for which a full session
    /// has no room stay in the batch while the broker takes others.
    mutating func flush(at now: Moment) {
        guard !batch.isEmpty else { return }
        let messages = batch
        batch.removeAll(keepingCapacity: true)
        isSessionFull = false
        outbox.saw(messages, at: now.monotonic)
        let line = broker.line
        guard outbox.isEmpty, !messages.contains(where: { line?.isHeldUp(by: $0.payload.count) == true }) else {
            for message in messages { wait(message, at: now) }
            return drainOutbox(at: now)
        }
        for (message, outcome) in zip(messages, broker.publish(messages)) {
            switch outcome {
            case .taken: if let spooled = message.spooled(at: now) { note(.sent(spooled), at: now) }
            case .full where isBrokerTaking && line?.hasSlots != true:
                batch.append(message)
                isSessionFull = true
            case .full: wait(message, at: now)
            case .offline: keep(message, at: now)
            case .tooLarge(let limit): forget(message, limit: limit, at: now)
            }
        }
    }

    /// The spool counts a message that waits for room as under way: if that takes long, the disk has it.
    private mutating func wait(_ message: OutgoingMessage, at now: Moment) {
        if let spooled = message.spooled(at: now) { note(.sent(spooled), at: now) }
        if let displaced = outbox.add(message, at: now.monotonic) { keep(displaced, at: now) }
    }

    /// A message that the session gives back waits again, unless there is a newer one of its topic.
    private mutating func takeBack(_ message: OutgoingMessage, at now: Moment) {
        let isReplay = message.key != nil && message.historyTopic == nil
        if isReplay, let key = message.key {
            note(.replayRefused(key), at: now)
        } else if !outbox.isNewest(message) {
            keep(message, at: now)
        } else if let displaced = outbox.takeBack(message, at: now.monotonic) {
            keep(displaced, at: now)
        }
    }

    /// Drops and counts a message that is larger than the broker's packet limit.
    mutating func forget(_ message: OutgoingMessage, limit: Int, at now: Moment) {
        tooLarge += 1
        guard let count = largeMessages.admits(message.topic, at: now.monotonic) else { return }
        var metadata: Logger.Metadata = [
            "topic": "\(message.topic)", "bytes": "\(message.payload.count)", "limit": "\(limit)",
        ]
        if count > 1 { metadata["times"] = "\(count)" }
        log.warning("a message is too large for the broker; it is dropped", metadata: metadata)
    }

    /// Hands waiting messages to the session until it is full.
    mutating func drain(at now: Moment) {
        if !outbox.isEmpty { drainOutbox(at: now) }
        flush(at: now)
    }

    private mutating func drainOutbox(at now: Moment) {
        repeat { sendWaiting(at: now) } while addProbe(at: now)
        if !outbox.isWaiting { isBrokerTaking = true }
    }

    /// Adds the retained topics once more if a long message waits for the line's proof.
    private mutating func addProbe(at now: Moment) -> Bool {
        guard let line = broker.line, let bytes = outbox.longestHeld(over: line, at: now.monotonic),
            probe.wantsRound(for: bytes, line.roundTrip ?? .zero, at: now.monotonic)
        else { return false }
        let messages = mqtt.again(at: now).filter { message in
            message.payload.count >= LineProbe.leastBytes && !line.isHeldUp(by: message.payload.count)
        }
        probe.sent(messages.reduce(0) { $0 + $1.payload.count })
        for message in messages { wait(message, at: now) }
        return !messages.isEmpty
    }

    private mutating func sendWaiting(at now: Moment) {
        var sent: [SpooledMessage] = []
        var refused: [(message: OutgoingMessage, limit: Int)] = []
        outbox.drain(over: broker.line, at: now.monotonic) { [broker] message in
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
        for (message, limit) in refused {
            if let key = message.key { note(.acknowledged([key]), at: now) }
            forget(message, limit: limit, at: now)
        }
    }

    /// Some published messages wait, because the session is full.
    var isWaiting: Bool { isSessionFull || outbox.isWaiting }

    /// Waits until a slow broker has taken a burst, so that no frame is superseded by a newer one. If messages still
    /// wait after ``roomTimeout``, the loop does not wait again until the broker has taken all of them.
    mutating func waitForRoom() async {
        // Real time, because a simulated flight may run faster.
        let clock = SystemGatewayClock(executor: inputs.executor)
        let deadline = clock.now.monotonic.advanced(by: Self.roomTimeout)
        drain(at: inputs.clock.now)
        // Such a line would delay the receiver each time.
        while isBrokerTaking, isWaiting, broker.line?.hasSlots != true {
            isBrokerTaking = clock.now.monotonic < deadline
            await clock.sleep(until: clock.now.monotonic.advanced(by: .milliseconds(2)))
            drain(at: inputs.clock.now)
        }
    }
}
