import DequeModule
import Gateway

// Sending: what goes out when, what is under way, and what the broker refuses.
extension LiveSession {
    /// A session's outgoing messages.
    struct Sending {
        /// A message that libmosquitto has and the broker has not acknowledged.
        struct Sent {
            var message: OutgoingMessage
            var ticket: SendWindow.Ticket
            var turn: SendingPace.Turn
        }

        /// A message of a topic over which the broker may have hung up. Nothing else is under way with it.
        struct Alone {
            var topic: String
            /// When the broker acknowledged it; nil before.
            var acknowledgedAt: ContinuousClock.Instant?
        }

        /// mosquitto acknowledges a message that is too large and then hangs up. So an acknowledgement this shortly
        /// before the end does not prove that the broker accepts the message.
        static let breath = Duration.milliseconds(200)

        /// The unacknowledged messages, by message id.
        var underWay: [Int32: Sent] = [:]
        /// The messages that the session has sent.
        var count = 0
        var window = SendWindow()
        var postponed = PostponedMessages()
        var alone: Alone?
        /// Taken from the client's queue, but it must wait; and postponed messages that are due.
        var next: Deque<OutgoingMessage> = []
        /// The id of the newest message of each retained topic.
        var newest: [String: Int32] = [:]
        /// See ``SendingPace/interval``.
        var interval: Duration?
        /// The next message may go then.
        var freeAt: ContinuousClock.Instant?
        var lastAcknowledged: (topics: [String], at: ContinuousClock.Instant)?
        /// When the newest of the acknowledged messages was sent.
        private var newestAcknowledged: ContinuousClock.Instant?

        /// When there is something to do although nothing happens.
        var nextAt: ContinuousClock.Instant? {
            let times = [
                postponed.nextAt, freeAt, alone?.acknowledgedAt.map { $0 + Self.breath },
                next.isEmpty || !underWay.isEmpty ? nil : lastAcknowledged.map { $0.at + Self.breath },
            ]
            return times.compactMap { $0 }.min()
        }

        /// The bytes that may be queued.
        func room(at now: ContinuousClock.Instant) -> Int {
            guard interval != nil else { return window.room(at: now) }
            // One message at a time, whatever its size.
            return freeAt == nil && window.room(at: now) > 0 ? 1 : 0
        }

        /// Nothing is under way, and the last acknowledgement is long enough ago to prove that the broker goes on.
        func isQuiet(at now: ContinuousClock.Instant) -> Bool {
            underWay.isEmpty && lastAcknowledged.map { now - $0.at >= Self.breath } ?? true
        }

        mutating func acknowledged(_ sent: Sent) {
            let now = ContinuousClock.now
            newestAcknowledged = max(newestAcknowledged ?? sent.ticket.sentAt, sent.ticket.sentAt)
            if sent.message.qos > 0 { window.acknowledged(sent.ticket, at: now) }
            if alone?.topic == sent.message.topic { alone?.acknowledgedAt = now }
        }

        /// The messages whose acknowledgement is overdue: those that the broker has passed over, because it has
        /// acknowledged a later one, and whether it acknowledges nothing at all.
        func overdue(at now: ContinuousClock.Instant, after limit: Duration) -> (passedOver: [Int32], isSilent: Bool) {
            let late = underWay.filter { $0.value.message.qos > 0 && now - $0.value.ticket.sentAt > limit }
            let passedOver = late.filter { entry in newestAcknowledged.map { entry.value.ticket.sentAt < $0 } ?? false }
            return (Array(passedOver.keys), passedOver.count < late.count)
        }
    }

    /// With an older message under way the session's own address may be gone.
    private static let addressDoubt = Duration.milliseconds(500)

    /// A living broker may need so many round trips, if they are longer than ``BrokerTimes/acknowledgementLimit``.
    private static let acknowledgementRoundTrips = 4

    /// Sends anew what the broker has passed over, and ends a session in which it acknowledges nothing.
    func checkAcknowledgements(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        let isLate = sending.underWay.values.contains { now - $0.ticket.sentAt > Self.addressDoubt }
        if isLate, let descriptor = session.descriptor, OwnAddress.isGone(of: descriptor) {
            endMeans = .other
            throw BrokerFailure(.lost, "the network that carried the session is gone")
        }
        let roundTrips = (sending.window.roundTrip ?? .zero) * Self.acknowledgementRoundTrips
        let limit = max(client.configuration.times.acknowledgementLimit, roundTrips)
        let (passedOver, isSilent) = sending.overdue(at: now, after: limit)
        for id in passedOver {
            guard let sent = sending.underWay.removeValue(forKey: id) else { continue }
            postpone(
                sent.message, "the broker did not acknowledge it", isNewest: sending.newest[sent.message.topic] == id)
        }
        if isSilent { throw BrokerFailure(.timedOut, "the broker acknowledges nothing any more") }
    }

    /// The bytes that the broker has not acknowledged.
    var bytesUnderWay: Int { sending.underWay.values.reduce(0) { $0 + $1.message.packetBytes(version) } }

    /// Hands queued messages to the library until the window is full.
    func sendQueue(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        if let at = sending.alone?.acknowledgedAt, let topic = sending.alone?.topic, now - at >= Sending.breath {
            rule.topics.passed(topic)
            sending.alone = nil
        }
        if let freeAt = sending.freeAt, now >= freeAt { sending.freeAt = nil }
        sending.next += sending.postponed.due(at: now)
        if client.queueDepth > 1 {
            try session.together { () throws(BrokerFailure) in try sendMessages(now) }
        } else {
            try sendMessages(now)
        }
        tellLine()
    }

    private func sendMessages(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        // A stop waits for no room: the last message must go.
        let isStopping = client.isStopping
        while sending.alone == nil, sending.freeAt == nil || isStopping,
            sending.underWay.count < MosquittoClient.window,
            isStopping || !sending.window.isFull && sending.window.room(at: now) > 0
        {
            guard let (message, isBacklogged) = nextMessage() else { return }
            let topic = message.topic
            if rule.topics.leavesOut(topic, at: now) {
                leaveOut(message)
                continue
            }
            if sending.postponed.hold(message) {
                // The spool replays what is not sent live.
                if let key = message.key { refusedForNow(message, key) }
                continue
            }
            if rule.topics.isSuspected(topic) {
                guard sending.isQuiet(at: now) else { return sending.next.prepend(message) }
                sending.alone = Sending.Alone(topic: topic)
            }
            try send(message, isBacklogged: isBacklogged, now)
        }
    }

    private func nextMessage() -> (OutgoingMessage, isBacklogged: Bool)? {
        if let message = sending.next.popFirst() { return (message, !sending.next.isEmpty) }
        return client.nextOutgoing()
    }

    private func send(
        _ message: OutgoingMessage, isBacklogged: Bool, _ now: ContinuousClock.Instant
    ) throws(BrokerFailure) {
        var message = message
        if lacks.contains(.acknowledgement) { message.qos = 0 }
        if message.isRetained, lacks.contains(.retained) {
            // Without retained messages there is nothing to clear.
            guard !message.payload.isEmpty else { return acknowledge(message) }
            message.isRetained = false
        }
        do throws(BrokerFailure) {
            let id = try session.publish(message)
            let ticket = sending.window.sent(
                bytes: message.packetBytes(version), isAcknowledged: message.qos > 0, isBacklogged: isBacklogged,
                at: now)
            sending.underWay[id] = Sending.Sent(message: message, ticket: ticket, turn: rule.pace.sent(at: now))
            if message.isRetained { sending.newest[message.topic] = id }
            sending.freeAt = sending.interval.map { now + $0 }
            sending.count += 1
            if sending.count == trial?.messages { sentEnoughAt = now }
        } catch {
            sending.alone = nil
            guard error.code == .refused else { throw error }
            drop(message, error.detail)
        }
    }

    /// Tells the client what the line is like.
    func tellLine() {
        let window = sending.window
        client.sets(
            MosquittoClient.Line(
                room: sending.room(at: .now), isWide: window.isWide && sending.interval == nil,
                isPaced: sending.interval != nil,
                bytesPerSecond: window.bytesPerSecond, roundTrip: window.roundTrip,
                provenBytes: lacks.contains(.acknowledgement) ? nil : window.provenBytes,
                leftOut: rule.topics.areLeftOut, keepsRetained: !lacks.contains(.retained)))
    }

    // MARK: - Refused messages

    /// The broker took a message.
    func accepted(_ sent: Sending.Sent) {
        sending.postponed.accepted(sent.message.topic)
        // The library itself reports a message of QoS 0.
        guard sent.message.qos > 0 else { return }
        rule.pace.accepted(sent.turn, at: .now)
        guard sending.interval != rule.pace.interval else { return }
        sending.interval = rule.pace.interval
        sending.freeAt = sending.freeAt.flatMap { freeAt in sending.interval.map { min(freeAt, .now + $0) } }
    }

    /// The broker refused a message because there are too many. The client gives it back, and all that wait behind it:
    /// its user knows which of them matter most, and the newest of each topic.
    func refusedByLimit(_ sent: Sending.Sent, _ reason: String) {
        var messages = [sent.message]
        if rule.pace.refused(sent.turn, at: .now) {
            sending.interval = rule.pace.interval
            sending.freeAt = .now + max(sending.interval ?? .zero, SendingPace.pause)
            messages += sending.next
            while let (message, _) = client.nextOutgoing() { messages.append(message) }
            sending.next = []
        }
        report(refused: sent.message, reason, isTransient: true, isGivenBack: true)
        client.report(.returned(messages))
        tellLine()
    }

    /// The broker refused a message.
    func refused(_ message: OutgoingMessage, _ reason: String) {
        report(refused: message, reason, isTransient: false)
    }

    /// The broker refused a message for now.
    /// - Parameter isNewest: no newer message of its topic was sent.
    func postpone(_ message: OutgoingMessage, _ reason: String, isNewest: Bool) {
        if message.isRetained, isNewest { sending.postponed.refused(message, at: .now) }
        report(refused: message, reason, isTransient: message.isRetained || message.key != nil)
    }

    private func refusedForNow(_ message: OutgoingMessage, _ key: UInt64) {
        report(refused: message, "the broker took no message of this topic just now", isTransient: true)
    }

    private func report(
        refused message: OutgoingMessage, _ reason: String, isTransient: Bool, isGivenBack: Bool = false
    ) {
        client.report(
            .refused(
                MessageRefusal(
                    topic: message.topic, bytes: message.packetBytes(version), reason: reason, key: message.key,
                    isTransient: isTransient, isGivenBack: isGivenBack)))
    }

    /// A message with a history is not lost: the spool replays it on another topic.
    private func leaveOut(_ message: OutgoingMessage) {
        let why = "the broker ends the session when it gets a message of this topic; it is left out"
        if message.key == nil { drop(message, why) } else { report(refused: message, why, isTransient: true) }
    }

    private func drop(_ message: OutgoingMessage, _ reason: String) {
        acknowledge(message)
        report(refused: message, reason, isTransient: false)
    }

    private func acknowledge(_ message: OutgoingMessage) {
        if let key = message.key { client.report(.acknowledged([key])) }
    }

    // MARK: - After the end

    /// Tells the rule how the session ended.
    /// - Returns: whether another client uses our id.
    func judge(_ failure: BrokerFailure, stood: Duration) -> Bool {
        let now = ContinuousClock.now
        let isByBroker = failure.code == .lost || failure.code == .takenOver
        let isBreath = sending.lastAcknowledged.map { now - $0.at < Sending.breath } ?? false
        let topics =
            sending.underWay.values.map(\.message.topic) + (isBreath ? sending.lastAcknowledged?.topics ?? [] : [])
        return rule.sessionEnded(
            isByBroker ? endMeans : .other, stood: stood, sent: sending.count, underWay: Set(topics),
            alone: sending.alone?.topic, at: now)
    }
}
