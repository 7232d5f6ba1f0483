import CMosquitto
import Gateway
import Glibc

/// Serves one session from its first packet to its end in a loop: poll, read, write. Used on the client's thread only.
final class LiveSession {
    /// Time for the broker to answer CONNECT and every SUBSCRIBE.
    private static let answerLimit = Duration.seconds(10)
    /// Time to answer CONNECT if there is another broker: a machine whose broker hangs still accepts the connection.
    private static let loginLimit = Duration.seconds(4)
    /// Time to connect. The kernel repeats a lost SYN after 1 and 3 s; a new attempt is sooner than the second.
    private static let connectLimit = Duration.milliseconds(2900)
    /// How long a stop waits for the queued messages to be sent and acknowledged.
    private static let flushLimit = Duration.milliseconds(1500)
    /// Longest poll of an open session, in ms: keep-alive is checked once a second.
    private static let idleTimeout: Int32 = 1000
    /// Longest poll of a session that is not open, in ms: the limits for answers are overrun by no more.
    private static let answerTimeout: Int32 = 100
    /// Refused subscriptions are tried again this often.
    static let subscriptionInterval = Duration.seconds(30)
    /// mosquitto acknowledges a message beyond its `message_size_limit` and then hangs up. So an acknowledgement this
    /// shortly before the end does not prove that the broker accepts messages of that size.
    private static let breath = Duration.milliseconds(200)

    /// Unspecified error, implementation specific error, quota exceeded: the broker may take the message later.
    private static let transientReasons: Set<Int32> = [0x80, 0x83, 0x97]

    /// A message that libmosquitto has and the broker has not acknowledged.
    private struct Sent {
        var message: ReconnectRule.Message
        var key: UInt64?
    }

    private let client: MosquittoClient
    private let session: MosquittoSession
    private let version: MQTTVersion
    private let isProbe: Bool
    private let place: BrokerAddress
    private let isOnly: Bool
    private let began = ContinuousClock.now
    /// The broker has accepted the login and answered every SUBSCRIBE.
    private(set) var openedAt: ContinuousClock.Instant?
    /// The broker has accepted the login.
    private(set) var isLoggedIn = false
    /// The session was a probe, and the broker has accepted its login.
    var isProbeAccepted: Bool { isProbe && isLoggedIn }
    private(set) var rule: ReconnectRule
    /// The kind of end that ``ReconnectRule`` gets if the broker hangs up.
    private var hangUpMeans = ReconnectRule.End.hangUp
    private var lastTick = ContinuousClock.now
    private var lastComplaint: String?
    /// The check for too large packets on MQTT 3.1.1; nil on MQTT 5, or if the client reads such packets.
    private var growth: InboundLimit?
    /// The packet limit that the broker named in CONNACK, in bytes.
    private var toldLimit: Int?

    private var unanswered: Set<String>
    private var refusedSubscriptions: Set<String> = []
    private var subscribedAt: ContinuousClock.Instant?
    /// Messages that came before the session was open.
    private var early: [IncomingMessage] = []

    /// The unacknowledged messages, by message id.
    private var underWay: [Int32: Sent] = [:]
    private var lastAcknowledged: (messages: [ReconnectRule.Message], at: ContinuousClock.Instant)?
    /// Messages beyond ``ReconnectRule/trialLimit``.
    private var heldBack: [Sent] = []

    /// - Parameter isOnly: no other broker can be tried.
    init(
        _ client: MosquittoClient, place: BrokerAddress, isOnly: Bool, choice: ProtocolChoice, rule: ReconnectRule
    ) throws(BrokerFailure) {
        self.client = client
        self.place = place
        self.isOnly = isOnly
        self.rule = rule
        (version, isProbe) = (choice.version, choice.isProbe)
        unanswered = Set(client.configuration.subscriptions)
        session = try MosquittoSession(client.configuration, version)
        try explaining { () throws(BrokerFailure) in try session.connect(to: place) }
    }

    /// The connection was established, but the broker has not answered CONNECT.
    var isUnanswered: Bool { session.isEstablished && !session.hasAnswer }
    private var isOpen: Bool { openedAt != nil }

    /// Returns after a clean stop or an accepted probe.
    /// - Throws: why the session failed.
    func serve() throws(BrokerFailure) {
        try explaining { () throws(BrokerFailure) in try serveOn() }
    }

    /// Runs `body`; if it fails, adds the reason that the library reported just before. A refusal, the reason of a
    /// DISCONNECT and OpenSSL's complaint come as such reports, even before the call that begins to connect fails. They
    /// say more than the return code.
    private func explaining(_ body: () throws(BrokerFailure) -> Void) throws(BrokerFailure) {
        do throws(BrokerFailure) {
            try body()
        } catch {
            do throws(BrokerFailure) {
                try handleReports(isOver: true)
            } catch let reason {
                throw reason
            }
            guard error.code != .refused, let lastComplaint else { throw error }
            // OpenSSL's text includes the library's.
            let isComplete = lastComplaint.hasPrefix(MosquittoSession.openSSLMark)
            throw BrokerFailure(error.code, isComplete ? lastComplaint : "\(error.detail) (\(lastComplaint))")
        }
    }

    private func serveOn() throws(BrokerFailure) {
        var stopAt: ContinuousClock.Instant?
        while !isProbeAccepted {
            let isStopping = client.isStopping
            try poll(isStopping: isStopping)
            let now = ContinuousClock.now
            if now - lastTick >= .seconds(1) {
                lastTick = now
                try session.tick()
                try ticked(now)
            }
            try handleReports(isOver: false)
            if isOpen { try sendQueue() } else { try checkAnswer(now) }
            guard isStopping else { continue }
            let deadline = stopAt ?? now + Self.flushLimit
            stopAt = deadline
            let isFlushed = underWay.isEmpty && client.queueDepth == 0
            if !isOpen || isFlushed || now >= deadline { break }
        }
        sayGoodbye()
    }

    private func checkAnswer(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        if !session.isEstablished, now - began > Self.connectLimit {
            throw BrokerFailure(.unreachable, "\(place.host) does not answer")
        }
        let limit = isOnly || isLoggedIn ? Self.answerLimit : Self.loginLimit
        if now - began > limit {
            throw BrokerFailure(.timedOut, "no answer within \(limit.components.seconds) seconds")
        }
    }

    private func sayGoodbye() {
        guard session.hasAnswer else { return }
        session.disconnect()
        // The socket may need a few writes for the DISCONNECT. An error here changes nothing: the session ends anyway.
        for _ in 0..<10 where session.wantsToWrite && session.descriptor != nil { _ = try? session.write() }
    }

    private func ticked(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        guard let openedAt else { return }
        rule.sessionStands(for: now - openedAt)
        if rule.trialLimit == nil, !heldBack.isEmpty {
            client.sets(packetLimit: packetLimit)
            for sent in heldBack { drop(sent, "the broker hangs up when it gets this message") }
            heldBack = []
        }
        guard !refusedSubscriptions.isEmpty, let subscribedAt, now - subscribedAt >= Self.subscriptionInterval else {
            return
        }
        self.subscribedAt = now
        for topic in refusedSubscriptions { try session.subscribe(to: topic) }
    }

    // MARK: - Waiting

    private func poll(isStopping: Bool) throws(BrokerFailure) {
        guard let descriptor = session.descriptor else {
            // The library closed the socket and reported the reason.
            throw BrokerFailure(.lost, "the connection was closed")
        }
        var descriptors = [
            pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: session.interest, revents: 0),
        ]
        Glibc.poll(&descriptors, 2, isStopping ? 50 : isOpen ? Self.idleTimeout : Self.answerTimeout)
        if descriptors[0].revents != 0 { client.clearWake() }
        let happened = descriptors[1].revents
        let before = session.reportCount
        try session.serve(happened)
        let isReading = happened & Int16(POLLIN) != 0 && session.descriptor != nil
        if isReading { try checkSize(descriptor, hasProgressed: session.reportCount != before) }
    }

    /// Ends a 3.1.1 session while too large a message arrives.
    private func checkSize(_ descriptor: Int32, hasProgressed: Bool) throws(BrokerFailure) {
        guard growth?.admits(descriptor, hasProgressed: hasProgressed) ?? true else { throw Self.oversized }
    }

    private static var oversized: BrokerFailure {
        BrokerFailure(
            .oversized,
            "the broker sends a message of more than \(MosquittoSession.incomingLimit) bytes, which MQTT 3.1.1 "
                + "can't refuse; set message_size_limit in its configuration and clear the retained message, "
                + "or use MQTT 5")
    }

    // MARK: - What the library reports

    private func handleReports(isOver: Bool) throws(BrokerFailure) {
        guard session.reportCount > 0 else { return }
        var acknowledged: [Sent] = []
        var ending: BrokerFailure?
        for report in session.takeReports() {
            switch report {
            case .connected(let reason, let limit) where reason == 0:
                if !isOver { try loggedIn(limit) }
            case .connected(let reason, _): ending = BrokerFailure(loginRefused: reason, by: version)
            case .disconnected(let reason) where reason >= 128 || !isOver: ending = disconnected(reason)
            case .disconnected: break  // The failed call has the better reason.
            case .subscriptionAnswered(let topic, let reason): answered(topic, reason)
            case .message(let message): came(message)
            case .oversized(let topic, let bytes):
                client.note(dropped: 1)
                client.report(.oversized(topic: topic, bytes: bytes))
                if growth != nil { ending = Self.oversized }
            case .acknowledged(let messageID, let reason):
                guard let sent = underWay.removeValue(forKey: messageID) else { continue }
                if reason >= 128 { refused(sent, reason) }
                if !Self.transientReasons.contains(reason) { acknowledged.append(sent) }
            case .complaint(let text):
                // OpenSSL's later lines only say that something is wrong with the certificate.
                if lastComplaint != MosquittoSession.nameComplaint { lastComplaint = text }
            }
        }
        if !acknowledged.isEmpty {
            lastAcknowledged = (acknowledged.map(\.message), .now)
            let keys = acknowledged.compactMap(\.key)
            if !keys.isEmpty { client.report(.acknowledged(keys)) }
        }
        if let ending { throw ending }
    }

    private func disconnected(_ reason: Int32) -> BrokerFailure {
        switch UInt32(clamping: reason) {
        case MQTT_RC_SESSION_TAKEN_OVER.rawValue:
            hangUpMeans = .takenOver
            return client.takenOver
        case MQTT_RC_PACKET_TOO_LARGE.rawValue:
            hangUpMeans = .tooLarge
            return BrokerFailure(.lost, "a message was too large for the broker")
        case 128...: hangUpMeans = .other
        default: break
        }
        let why =
            reason == 0
            ? "the broker ended the session and gave no reason; its own log may have one" : version.reasonText(reason)
        return BrokerFailure(.lost, why)
    }

    private func loggedIn(_ maximumPacket: Int?) throws(BrokerFailure) {
        isLoggedIn = true
        guard !isProbe else { return }
        toldLimit = maximumPacket
        session.stopCollectingComplaints()
        // With TLS this counts encrypted bytes, which are a few more.
        if version == .v311, !client.configuration.readsOversized {
            growth = session.descriptor.map { InboundLimit($0) }
        }
        for topic in client.configuration.subscriptions { try session.subscribe(to: topic) }
        if unanswered.isEmpty { opened() }
    }

    private func answered(_ topic: String, _ reason: Int32) {
        subscribedAt = .now
        if reason >= 128 {
            let isNew = refusedSubscriptions.insert(topic).inserted
            if isNew { client.report(.subscriptionRefused(topic: topic, reason: version.reasonText(reason))) }
        } else if refusedSubscriptions.remove(topic) != nil {
            client.report(.subscriptionAccepted(topic: topic))
        }
        client.sets(refusedSubscriptions: refusedSubscriptions.sorted())
        unanswered.remove(topic)
        if unanswered.isEmpty, !isOpen { opened() }
    }

    private func opened() {
        openedAt = .now
        client.sessionBegan(version, packetLimit: packetLimit)
        for message in early { client.report(.message(message)) }
        early = []
    }

    private var packetLimit: Int? { [toldLimit, rule.provenLimit].compactMap { $0 }.min() }

    private func came(_ message: IncomingMessage) {
        var message = message
        message.mayBeRetained = isRetainedInDoubt
        if isOpen {
            client.report(.message(message))
        } else if early.count < client.configuration.incomingLimit {
            early.append(message)
        } else {
            client.note(dropped: 1)
        }
    }

    /// Whether a message without the retain flag may be a retained one. MQTT 3.1.1 sets the flag only on messages that
    /// answer the subscription. A bridge that connects beside us forwards retained messages as live ones.
    private var isRetainedInDoubt: Bool {
        guard version == .v311 else { return false }
        guard isOpen, let subscribedAt else { return true }
        return ContinuousClock.now - subscribedAt < MosquittoClient.retainedDoubt
    }

    /// The broker refused a message. mosquitto hangs up after it refused one for its size.
    private func refused(_ sent: Sent, _ reason: Int32) {
        report(refused: sent, version.reasonText(reason), isTransient: Self.transientReasons.contains(reason))
        guard reason == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue) else { return }
        hangUpMeans = .other
        rule.refused(sent.message)
        client.sets(packetLimit: packetLimit)
    }

    private func report(refused sent: Sent, _ reason: String, isTransient: Bool = false) {
        client.report(
            .refused(
                MessageRefusal(
                    topic: sent.message.topic, bytes: sent.message.bytes, reason: reason, key: sent.key,
                    isTransient: isTransient)))
    }

    // MARK: - Sending

    /// Hands queued messages to the library until the window is full.
    private func sendQueue() throws(BrokerFailure) {
        guard client.queueDepth > 1 else { return try sendMessages() }
        try session.together { () throws(BrokerFailure) in try sendMessages() }
    }

    private func sendMessages() throws(BrokerFailure) {
        while underWay.count < MosquittoClient.window, let message = client.nextOutgoing() {
            let sent = Sent(
                message: .init(topic: message.topic, bytes: message.packetBytes(version)), key: message.key)
            if let limit = rule.trialLimit, sent.message.bytes > limit, heldBack.count < MosquittoClient.window {
                heldBack.append(sent)
                continue
            }
            do throws(BrokerFailure) {
                let id = try session.publish(message)
                underWay[id] = sent
            } catch {
                guard error.code == .refused else { throw error }
                drop(sent, error.detail)
            }
        }
    }

    private func drop(_ sent: Sent, _ reason: String) {
        if let key = sent.key { client.report(.acknowledged([key])) }
        report(refused: sent, reason)
    }

    // MARK: - After the end

    /// Tells the rule how the session ended.
    /// - Returns: whether another client uses our id.
    func judge(_ failure: BrokerFailure, stood: Duration) -> Bool {
        let isHangUp = failure.code == .lost || failure.code == .takenOver
        let isBreath = lastAcknowledged.map { $0.at > .now - Self.breath } ?? false
        return rule.sessionEnded(
            isHangUp ? hangUpMeans : .other, stood: stood,
            unacknowledged: underWay.values.map(\.message) + (isBreath ? lastAcknowledged?.messages ?? [] : []))
    }
}
