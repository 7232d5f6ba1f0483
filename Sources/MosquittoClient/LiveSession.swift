import CMosquitto
import Glibc

/// Serves one session from its first packet to its end: poll, read, write, again. Used on the client's thread only.
final class LiveSession {
    /// For the broker to answer CONNECT.
    private static let answerLimit = Duration.seconds(10)
    /// For the connection itself. A SYN that is lost is repeated after 1 and 3 s: a new attempt comes sooner than that.
    private static let connectLimit = Duration.milliseconds(2900)
    /// Of a stop that waits for the broker to take what is queued.
    private static let flushLimit = Duration.milliseconds(1500)
    /// Between two looks at the clock, ms: keep-alive is checked once a second.
    private static let idleTimeout: Int32 = 1000

    private let client: MosquittoClient
    private let session: MosquittoSession
    private let began = ContinuousClock.now
    private(set) var connectedAt: ContinuousClock.Instant?
    private var subscribedAt: ContinuousClock.Instant?
    private var lastTick = ContinuousClock.now
    /// Given to libmosquitto and not acknowledged yet, by message id.
    private var underWay: [Int32: (message: PacketLimit.Message, key: UInt64?)] = [:]
    /// mosquitto acknowledges what is beyond its `message_size_limit`, and hangs up in the same breath.
    private var lastAcknowledged: (messages: [PacketLimit.Message], at: ContinuousClock.Instant)?
    private static let breath = Duration.milliseconds(200)
    private var isRefusing = false
    private var lastComplaint: String?
    /// On a session whose broker can't be told our limit.
    private var growth: InboundLimit?
    private(set) var limits: PacketLimit
    private(set) var clash: ClashWatch
    private(set) var witness: Witness?
    private let address: String

    init(
        _ client: MosquittoClient, address: String, limits: PacketLimit, clash: ClashWatch
    ) throws(MosquittoFailure) {
        self.client = client
        self.address = address
        self.limits = limits
        self.clash = clash
        session = try MosquittoSession(client.configuration)
        try explaining { () throws(MosquittoFailure) in try session.connect(to: address) }
    }

    var isConnected: Bool { connectedAt != nil }

    /// Returns after a clean stop; throws when the session fails.
    func serve() throws(MosquittoFailure) {
        try explaining { () throws(MosquittoFailure) in try serveOn() }
    }

    /// A refusal, the reason of a DISCONNECT and what OpenSSL has against a certificate come as reports just before any
    /// of the library's calls fails - also the one that begins to connect; they say more than its return code.
    private func explaining(_ body: () throws(MosquittoFailure) -> Void) throws(MosquittoFailure) {
        do throws(MosquittoFailure) {
            try body()
        } catch {
            do throws(MosquittoFailure) {
                try handleReports(isOver: true)
            } catch let reason {
                throw reason
            }
            guard error.code != .refused, let lastComplaint else { throw error }
            // OpenSSL's words say all that the library's do.
            let isComplete = lastComplaint.hasPrefix(MosquittoSession.openSSLMark)
            throw MosquittoFailure(error.code, isComplete ? lastComplaint : "\(error.detail) (\(lastComplaint))")
        }
    }

    private func serveOn() throws(MosquittoFailure) {
        var stopAt: ContinuousClock.Instant?
        while true {
            let isStopping = client.isStopping
            try poll(isStopping: isStopping)
            let now = ContinuousClock.now
            if now - lastTick >= .seconds(1) {
                lastTick = now
                try session.tick()
                if let connectedAt { clash.sessionStands(for: now - connectedAt) }
                if !clash.wantsWitness { dismissWitness() }
            }
            try handleReports(isOver: false)
            if isConnected { try sendQueued() } else { try checkPatience(now) }
            guard isStopping else { continue }
            let deadline = stopAt ?? now + Self.flushLimit
            stopAt = deadline
            let isFlushed = underWay.isEmpty && client.queueDepth == 0
            guard !isConnected || isFlushed || now >= deadline else { continue }
            return sayGoodbye()
        }
    }

    private func checkPatience(_ now: ContinuousClock.Instant) throws(MosquittoFailure) {
        if !session.isEstablished, now - began > Self.connectLimit {
            throw MosquittoFailure(.unreachable, "\(address) does not answer")
        }
        if now - began > Self.answerLimit {
            throw MosquittoFailure(.timedOut, "no answer within \(Self.answerLimit.components.seconds) seconds")
        }
    }

    private func sayGoodbye() {
        dismissWitness()
        guard isConnected else { return }
        session.disconnect()
        // A DISCONNECT that the socket didn't take at once gets a few more turns; an error is as good as gone.
        for _ in 0..<10 where session.wantsToWrite && session.descriptor != nil { _ = try? session.write() }
    }

    private func dismissWitness() {
        witness?.leave()
        witness = nil
    }

    // MARK: - Waiting

    private func poll(isStopping: Bool) throws(MosquittoFailure) {
        guard let descriptor = session.descriptor else {
            // The library closed the socket; its callback has told why.
            throw MosquittoFailure(.lost, "the connection was closed")
        }
        var descriptors = [
            pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: session.interest, revents: 0),
            pollfd(fd: witness?.descriptor ?? -1, events: witness?.interest ?? 0, revents: 0),
        ]
        Glibc.poll(&descriptors, 3, timeout(isStopping: isStopping))
        if descriptors[0].revents != 0 { client.clearWake() }
        if let witness, !witness.serve(descriptors[2].revents) { self.witness = nil }
        let happened = descriptors[1].revents
        let before = session.reportCount
        try session.serve(happened)
        let isReading = happened & Int16(POLLIN) != 0 && session.descriptor != nil
        if isReading { try checkSize(descriptor, hasProgressed: session.reportCount != before) }
    }

    private func timeout(isStopping: Bool) -> Int32 {
        isStopping ? 50 : isConnected ? Self.idleTimeout : 500
    }

    /// Of what is coming in, and of what came in whole.
    private func checkSize(_ descriptor: Int32, hasProgressed: Bool) throws(MosquittoFailure) {
        let oversized = session.takeOversizedMessages()
        client.note(oversized: oversized)
        let isWithin = growth?.admits(descriptor, hasProgressed: hasProgressed) ?? true
        guard isWithin, growth == nil || oversized == 0 else {
            throw MosquittoFailure(
                .oversized,
                "the broker sends a message of more than \(MosquittoSession.incomingLimit) bytes, which MQTT 3.1.1 "
                    + "can't refuse; set message_size_limit in its configuration and clear the retained message, "
                    + "or use mqtt.protocol: 5")
        }
    }

    // MARK: - What the library reports

    private func handleReports(isOver: Bool) throws(MosquittoFailure) {
        guard session.reportCount > 0 else { return }
        var acknowledged: [UInt64] = []
        defer { if !acknowledged.isEmpty { client.report(.acknowledged(acknowledged)) } }
        var acknowledgedMessages: [PacketLimit.Message] = []
        var ending: MosquittoFailure?
        for report in session.takeReports() {
            switch report {
            case .connected(let reason, let limit) where reason == 0:
                if !isOver { try began(maximumPacket: limit) }
            case .connected(let reason, _):
                ending = MosquittoFailure(.refused, "the broker refuses the login: \(reasonText(reason))")
            case .disconnected(let reason) where reason == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue):
                ending = client.takenOver
            case .disconnected(let reason) where reason == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue):
                ending = MosquittoFailure(.refused, "a message was too large for the broker")
            case .disconnected(let reason) where reason >= 128 || !isOver:
                ending = MosquittoFailure(.lost, reason == 0 ? "disconnected" : reasonText(reason))
            case .disconnected: break  // The call that failed says it better.
            case .subscribed: subscribedAt = .now
            case .subscriptionRefused(let topic, let reason):
                client.report(.subscriptionRefused(topic: topic, reason: reasonText(reason)))
            case .message(var message):
                message.mayBeRetained = isRetainedInDoubt
                client.report(.message(message))
            case .acknowledged(let messageID, let reason):
                guard let (message, key) = underWay.removeValue(forKey: messageID) else { continue }
                if let key { acknowledged.append(key) }
                acknowledgedMessages.append(message)
                if reason >= 128 { refused(message, reason) }
            case .complaint(let text):
                // After this OpenSSL only says that something is wrong with the certificate.
                if lastComplaint != MosquittoSession.nameComplaint { lastComplaint = text }
            }
        }
        if !acknowledgedMessages.isEmpty { lastAcknowledged = (acknowledgedMessages, .now) }
        if let ending { throw ending }
    }

    private func began(maximumPacket: Int?) throws(MosquittoFailure) {
        connectedAt = .now
        session.stopCollectingComplaints()
        // With TLS it counts what is encrypted, which is little more.
        if client.configuration.protocolVersion == .v311 { growth = session.descriptor.map { InboundLimit($0) } }
        try session.subscribe()
        client.sessionBegan(packetLimit: limits.bytes(told: maximumPacket, at: .now))
        if clash.wantsWitness { witness = Witness(beside: client.configuration, address: address) }
    }

    /// MQTT 3.1.1 shows the flag only on what the subscription itself brings. Somebody's retained message can come as
    /// a live one, too, when a bridge to another broker comes up beside us.
    private var isRetainedInDoubt: Bool {
        guard client.configuration.protocolVersion == .v311 else { return false }
        guard let subscribedAt else { return true }
        return ContinuousClock.now - subscribedAt < MosquittoClient.retainedDoubt
    }

    /// mosquitto hangs up after it has refused a message for its size.
    private func refused(_ message: PacketLimit.Message, _ reason: Int32) {
        refuse(message, reasonText(reason))
        guard reason == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue) else { return }
        isRefusing = true
        limits.refused(message, at: .now)
        client.sets(packetLimit: limits.bytes(told: nil, at: .now))
    }

    private func refuse(_ message: PacketLimit.Message, _ reason: String) {
        client.report(.refused(topic: message.topic, bytes: message.bytes, reason: reason))
    }

    private func reasonText(_ reason: Int32) -> String {
        if reason < 128, client.configuration.protocolVersion == .v311 {
            return String(cString: mosquitto_connack_string(reason))
        }
        if reason < 128 { return MosquittoStatus(rawValue: reason).text }
        return String(cString: mosquitto_reason_string(reason))
    }

    // MARK: - Sending

    /// Hands queued messages to the library as far as the window allows.
    private func sendQueued() throws(MosquittoFailure) {
        while underWay.count < MosquittoClient.window, let message = client.nextOutgoing() {
            let entry = PacketLimit.Message(
                topic: message.topic, bytes: message.packetBytes(client.configuration.protocolVersion))
            do throws(MosquittoFailure) {
                let id = try session.publish(message)
                underWay[id] = (entry, message.key)
            } catch {
                guard error.code == .refused else { throw error }
                if let key = message.key { client.report(.acknowledged([key])) }
                refuse(entry, error.detail)
            }
        }
    }

    // MARK: - After the end

    /// Messages that can have made the broker hang up.
    private var suspects: [PacketLimit.Message] {
        let acknowledged = lastAcknowledged.map { $0.at > .now - Self.breath ? $0.messages : [] } ?? []
        return underWay.values.map(\.message) + acknowledged
    }

    /// What the end of the session says of the broker's limit and of other clients.
    /// - Parameter ask: whether the witness survives.
    func judge(
        _ failure: MosquittoFailure, survives ask: (Witness) -> Bool
    ) -> (oversized: PacketLimit.Message?, verdict: ClashWatch.Verdict) {
        defer { dismissWitness() }
        guard isConnected else { return (nil, .noClash) }
        if failure.code == .takenOver { return (nil, clash.sessionEnded(.toldTakenOver)) }
        let isTooLarge = failure.code == .refused
        guard failure.code == .lost || isTooLarge, !isRefusing else { return (nil, clash.sessionEnded(.other)) }
        // The other client cuts our sessions short at any message; none of them is to blame.
        let isOtherClient = clash.isKnown && !isTooLarge
        let oversized =
            isOtherClient ? nil : limits.sessionEnded(underWay: suspects, isCertain: isTooLarge, at: .now)
        guard !isTooLarge, oversized == nil else { return (oversized, clash.sessionEnded(.other)) }
        // Either is possible: the next hang-up shows which.
        guard !limits.isSuspicious else { return (nil, clash.sessionEnded(.hangUp(.none))) }
        guard clash.wantsWitness, let witness, witness.state == .alive else {
            return (nil, clash.sessionEnded(.hangUp(clash.wantsWitness && witness == nil ? .died : .none)))
        }
        return (nil, clash.sessionEnded(.hangUp(ask(witness) ? .alive : .died)))
    }
}
