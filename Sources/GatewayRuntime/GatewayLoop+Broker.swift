import GatewayCore
import ReceiverProtocol

// The broker's side of the loop: the session's events in, the MQTT feed's messages out.

extension GatewayLoop {
    /// The longest that a full session holds up the receiver.
    private static let patience = Duration.milliseconds(250)

    mutating func take(_ input: BrokerInput, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .connected:
            isBrokerTaking = true
            takeStore(.sessionBegan, at: now, &group)
            send(mqtt.sessionBegan(at: now), at: now)
        case .disconnected:
            sessionEnded(now, &group)
            mqtt.sessionEnded()
        case .message(let message):
            if let command = mqtt.received(message, at: now) { take(.command(command), at: now, &group) }
        case .closed:
            sessionEnded(now, &group)
            takeStore(.closing, at: now, &group)
        }
    }

    /// What the session had and did not acknowledge, and what waited for it, is the spool's now; in the order of keys.
    private mutating func sessionEnded(_ now: Moment, _ group: inout DiscardingTaskGroup) {
        isBrokerTaking = false
        takeAcknowledged(at: now)
        takeStore(.sessionEnded, at: now, &group)
        for message in outbox.sessionEnded() { keep(message, at: now) }
    }

    mutating func send(_ outputs: [MQTTFeed.Output], at now: Moment) {
        for output in outputs {
            switch output {
            case .publish(let message): publish(message, at: now)
            case .spool(let message): keep(numbered(message), at: now)
            }
        }
    }

    private mutating func numbered(_ message: OutgoingMessage) -> OutgoingMessage {
        guard message.historyTopic != nil else { return message }
        var copy = message
        copy.key = storeMachine.nextKey()
        return copy
    }

    /// In order: what waits goes first.
    private mutating func publish(_ message: OutgoingMessage, at now: Moment) {
        let message = numbered(message)
        switch outbox.isEmpty ? broker.publish(message) : .full {
        case .taken:
            if let spooled = message.spooled(at: now) { note(.sent(spooled), at: now) }
        case .full: if let displaced = outbox.add(message) { keep(displaced, at: now) }
        case .offline: keep(message, at: now)
        }
    }

    mutating func drain() {
        let now = inputs.clock.now
        var sent: [SpooledMessage] = []
        outbox.drain { [broker] message in
            guard broker.publish(message) == .taken else { return false }
            if let spooled = message.spooled(at: now) { sent.append(spooled) }
            return true
        }
        for message in sent { note(.sent(message), at: now) }
        if outbox.isEmpty { isBrokerTaking = true }
    }

    /// Gives a broker that lags behind a burst the time to take it, so that no frame is lost to a newer one. A broker
    /// that takes nothing must not hold up the receiver: it is not waited for again until it does.
    mutating func waitForRoom() async {
        // The broker's time, whatever the flight's is.
        let clock = SystemGatewayClock()
        let deadline = clock.now.monotonic.advanced(by: Self.patience)
        drain()
        while isBrokerTaking, !outbox.isEmpty {
            isBrokerTaking = clock.now.monotonic < deadline
            await clock.sleep(until: clock.now.monotonic.advanced(by: .milliseconds(2)))
            drain()
        }
    }
}
