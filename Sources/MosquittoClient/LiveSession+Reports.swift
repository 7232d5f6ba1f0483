import CMosquitto
import Gateway

// What the library reports: answers, messages, acknowledgements, and the session's end.
extension LiveSession {
    /// The broker may take the message later: unspecified error, implementation specific error.
    private static let transientReasons: Set<Int32> = [0x80, 0x83]
    /// There are too many messages: busy, too many at once, message rate too high, quota exceeded, rate exceeded (EMQX's
    /// limit on messages).
    private static let limitReasons: Set<Int32> = [0x89, 0x93, 0x96, 0x97, 0x9F]
    /// As the reason of a session's end, these speak of a limit on messages.
    private static let endsByLimit: Set<Int32> = [0x96, 0x97, 0x9F]
    /// The broker ended the session over no single message: it is busy or stops, too many messages came, or an
    /// administrator or a time limit ended it.
    private static let overNoMessage: Set<Int32> = [0x89, 0x8B, 0x8D, 0x93, 0x96, 0x97, 0x98, 0x9F]

    func handleReports(isOver: Bool) throws(BrokerFailure) {
        guard session.reportCount > 0 else { return }
        var acknowledged: [Sending.Sent] = []
        var ending: BrokerFailure?
        // The library reports a DISCONNECT twice, the second time without its reason.
        var hasReason = false
        for report in session.takeReports() {
            switch report {
            case .connected(let reason, let limit, let lacks, _) where reason == 0:
                if !isOver { try loggedIn(limit, lacks: lacks) }
            case .connected(let reason, _, _, let other): ending = moved(reason, to: other) ?? loginRefused(reason)
            case .disconnected(let reason, let other) where (reason >= 128 || !isOver) && !hasReason:
                hasReason = reason >= 128
                ending = moved(reason, to: other) ?? disconnected(reason)
            case .disconnected: break  // The failed call or the first report has the better reason.
            case .subscriptionAnswered(let topic, let reason): answered(topic, reason)
            case .message(let message): came(message)
            case .oversized(let topic, let bytes):
                client.note(dropped: 1)
                client.report(.oversized(topic: topic, bytes: bytes))
                if version == .v311, !client.configuration.readsOversized { ending = Self.oversized }
            case .acknowledged(let messageID, let reason):
                guard let sent = sending.underWay.removeValue(forKey: messageID) else { continue }
                if self.acknowledged(sent, reason, messageID) { acknowledged.append(sent) }
            case .complaint(let text): lastComplaint = text
            }
        }
        if !acknowledged.isEmpty {
            sending.lastAcknowledged = (acknowledged.map(\.message.topic), .now)
            let keys = acknowledged.compactMap(\.message.key)
            if !keys.isEmpty { client.report(.acknowledged(keys)) }
        }
        if let ending { throw ending }
    }

    private static var oversized: BrokerFailure {
        BrokerFailure(
            .oversized,
            "the broker sends a message of more than \(MosquittoSession.incomingLimit) bytes, which MQTT 3.1.1 "
                + "can't refuse; set message_size_limit in its configuration and clear the retained message, "
                + "or use MQTT 5")
    }

    /// - Returns: nil if the reason is another one.
    private func moved(_ reason: Int32, to other: String?) -> BrokerFailure? {
        guard version == .v5, let failure = BrokerFailure(moved: reason, to: other) else { return nil }
        endMeans = .other
        client.note(otherServer: other.map(BrokerFailure.printable))
        return failure
    }

    private func loginRefused(_ reason: Int32) -> BrokerFailure {
        noteLack(reason)
        return BrokerFailure(loginRefused: reason, by: version, session.configuration)
    }

    /// Notes what the broker does not offer, if that is its reason.
    private func noteLack(_ reason: Int32) {
        switch UInt32(clamping: reason) {
        case MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue: refusedFeature = .retained
        case MQTT_RC_QOS_NOT_SUPPORTED.rawValue: refusedFeature = .acknowledgement
        default: return
        }
        if let refusedFeature { lacks.insert(refusedFeature) }
    }

    private func disconnected(_ reason: Int32) -> BrokerFailure {
        noteLack(reason)
        switch UInt32(clamping: reason) {
        case MQTT_RC_SESSION_TAKEN_OVER.rawValue:
            endMeans = .takenOver
            return client.takenOver
        case MQTT_RC_PACKET_TOO_LARGE.rawValue:
            endMeans = .reason
            return BrokerFailure(.lost, "a message was too large for the broker")
        case 128... where Self.overNoMessage.contains(reason):
            endMeans = .other
            if Self.endsByLimit.contains(reason) { rule.pace.refused(at: .now) }
        case 128...: endMeans = .reason
        default: break
        }
        let why =
            reason == 0
            ? "the broker ended the session and gave no reason; its own log may have one" : version.reasonText(reason)
        return BrokerFailure(.lost, why)
    }

    private func loggedIn(_ maximumPacket: Int?, lacks: Set<BrokerFeature>) throws(BrokerFailure) {
        // Otherwise each answer would begin the subscriptions anew.
        guard !isLoggedIn else { throw BrokerFailure(.lost, "the broker answered the login twice") }
        isLoggedIn = true
        stepEnded()
        guard !isProbe else { return }
        packetLimit = maximumPacket
        self.lacks.formUnion(lacks)
        session.stopCollectingComplaints()
        for topic in client.configuration.subscriptions { try session.subscribe(to: topic) }
        if unanswered.isEmpty { opened() }
    }

    /// A SUBSCRIBE packet without its topic, in bytes.
    private static let subscribeBytes = 8

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
        let subscriptions = client.configuration.subscriptions
        if !subscriptions.isEmpty {
            sending.window.subscribed(
                subscriptions.reduce(0) { $0 + $1.utf8.count + Self.subscribeBytes }, after: stepTime)
        }
        stepEnded()
        openedAt = .now
        client.sessionBegan(version, packetLimit: packetLimit)
        tellLine()
        for feature in lacks { client.report(.lacks(feature)) }
        for message in early { client.report(.message(message)) }
        early = []
    }

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

    /// - Returns: false if the broker may take the message later.
    private func acknowledged(_ sent: Sending.Sent, _ reason: Int32, _ id: Int32) -> Bool {
        sending.acknowledged(sent)
        let (message, text) = (sent.message, version.reasonText(reason))
        switch reason {
        case ..<128: accepted(sent)
        case _ where Self.limitReasons.contains(reason):
            refusedByLimit(sent, text)
            return false
        case _ where Self.transientReasons.contains(reason):
            postpone(message, text, isNewest: sending.newest[message.topic] == id)
            return false
        default:
            refused(message, text)
            // mosquitto names the message that is too large for it, and hangs up then.
            if reason == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue) { rule.topics.leaveOut(message.topic, at: .now) }
        }
        return true
    }
}
