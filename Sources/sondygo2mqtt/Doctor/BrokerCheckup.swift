import Gateway
import Glibc
import MQTTPublishing
import MosquittoClient

/// Checks whether the broker accepts the gateway, its subscriptions and its messages.
struct BrokerCheckup {
    let configuration: Configuration
    /// Log in as the gateway does: with a will, retained messages and a message of the largest size, and wait as long as
    /// a session may. The page asks often, so it asks for less.
    var isThorough = true

    private var place: String { configuration.mqtt.place }

    var isSilent: Finding {
        Finding.wrong(
            "broker", configuration.mqtt.complaint(about: BrokerFailure(.timedOut, "it does not answer")),
            code: .brokerSilent,
            place: place)
    }

    /// One finding for each broker; all are asked at the same time. The gateway needs only one broker, so if one accepts
    /// it, the faults of the others are notes.
    /// - Parameter limit: how long to wait for a broker's answers.
    func findings(within limit: Duration) async -> [Finding] {
        let checkups = configuration.mqtt.hosts.map { host in
            var one = configuration
            one.mqtt.hosts = [host]
            return BrokerCheckup(configuration: one, isThorough: isThorough)
        }
        let findings = await withTaskGroup(of: (Int, Finding).self) { group in
            for (index, checkup) in checkups.enumerated() {
                group.addTask {
                    let finding = await sondygo2mqtt.within(limit + .seconds(1), or: checkup.isSilent) {
                        await checkup.finding(within: limit)
                    }
                    return (index, finding)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }.sorted { $0.0 < $1.0 }.map(\.1)
        guard findings.contains(where: { $0.verdict == .ok }) else { return findings }
        return findings.map { finding in
            var finding = finding
            if finding.verdict == .wrong { finding.verdict = .note }
            return finding
        }
    }

    private func finding(within limit: Duration) async -> Finding {
        let topics = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id)
        var session = MosquittoConfiguration(
            configuration, clientID: "\(configuration.clientID)-doctor-\(getpid())", topics: topics)
        let messages = topics.map { isThorough ? Self.thoroughMessages($0) : [Self.message($0)] } ?? []
        session.will = isThorough ? topics.map { .init(topic: $0.prefix + "/doctor", payload: Array("{}".utf8)) } : nil
        session.times.firstStep = isThorough ? MosquittoClient.longestLimit : MosquittoClient.shortestLimit
        let client: MosquittoClient
        do throws(BrokerFailure) {
            client = try MosquittoClient(session)
        } catch {
            return Finding.wrong(
                "broker", "\(place): \(error); see mqtt in the configuration", code: .brokerFailed, place: place)
        }
        client.start()
        let deadline = Task {
            try await Task.sleep(for: limit)
            await client.stop()
        }
        defer { deadline.cancel() }
        var talk = BrokerTalk(with: configuration.mqtt, messages: messages)
        await client.receive { event in
            guard !talk.isOver else { return }
            for message in talk.messages(after: event) { talk.published(client.publish(message)) }
            if talk.isOver { await client.stop() }
        }
        guard let finding = talk.finding else { return isSilent }
        guard isThorough, finding.verdict == .ok, configuration.mqtt.username != nil else { return finding }
        return await takesUserNameAsID(session, within: limit) ? sharedUser : finding
    }

    // MARK: - The user name

    private var sharedUser: Finding {
        Finding.note(
            "broker",
            "\(place) takes the user name as client id, so it ends the session of one client when another with the same "
                + "user comes: give the gateway, `send`, dashboards and doctor a user each")
    }

    /// Whether a login with another client id ends the first session.
    private func takesUserNameAsID(_ session: MosquittoConfiguration, within limit: Duration) async -> Bool {
        var configurations = [session, session]
        for index in configurations.indices {
            configurations[index].clientID += "-\(index)"
            configurations[index].will = nil
            configurations[index].subscriptions = []
        }
        let clients = configurations.compactMap { configuration in try? MosquittoClient(configuration) }
        guard let first = clients.first, let second = clients.last, clients.count == 2 else { return false }
        first.start()
        let deadline = Task {
            // The second login ends the first session at once, or never.
            try await Task.sleep(for: min(limit, Self.trialLimit))
            await first.stop()
        }
        defer { deadline.cancel() }
        var isEnded = false
        await first.receive { event in
            switch event {
            case .connected: second.start()
            case .disconnected:
                isEnded = true
                await first.stop()
            case .keepsNoRetained, .connectFailed, .downgraded, .message, .oversized, .drained, .acknowledged, .refused,
                .subscriptionRefused, .subscriptionAccepted:
                break  // They say nothing about the other login.
            }
        }
        await second.stop()
        return isEnded
    }

    private static let trialLimit = Duration.seconds(3)

    // MARK: - Messages

    /// A broker applies its access list to each message, so one is published.
    private static func message(_ topics: Topics) -> OutgoingMessage {
        OutgoingMessage(topic: topics.prefix + "/doctor", payload: Array("{}".utf8), key: 1)
    }

    /// What the gateway sends: a retained message, one as large as its largest, and its removal.
    private static func thoroughMessages(_ topics: Topics) -> [OutgoingMessage] {
        var small = message(topics)
        small.isRetained = true
        var (large, removal) = (small, small)
        let padding = String(repeating: "x", count: MQTTPublisher.largestPayload - 14)
        (large.payload, large.key) = (Array("{\"padding\":\"\(padding)\"}".utf8), 2)
        (removal.payload, removal.key) = ([], 3)
        return [small, large, removal]
    }
}

/// What the broker says to the messages, one after the other.
private struct BrokerTalk {
    private let mqtt: Configuration.MQTT
    private var place: String { mqtt.place }
    /// The messages that are not sent yet.
    private var waiting: [OutgoingMessage]
    /// The one that the broker has not acknowledged.
    private var underWay: OutgoingMessage?
    private let began = ContinuousClock.now
    private var login: Duration?
    private var keepsRetained = true
    private(set) var finding: Finding?
    var isOver = false

    /// A login that takes longer is told.
    private static let slowLogin = Duration.seconds(2)

    init(with mqtt: Configuration.MQTT, messages: [OutgoingMessage]) {
        self.mqtt = mqtt
        waiting = messages
    }

    /// - Returns: the messages to send now.
    mutating func messages(after event: BrokerEvent) -> [OutgoingMessage] {
        switch event {
        case .connected:
            login = .now - began
            return next()
        case .acknowledged where underWay != nil, .drained where underWay == nil: return next()
        case .keepsNoRetained: keepsRetained = false
        case .refused(let refusal):
            let isLarge = size != nil
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but takes no message \(size ?? "on \(refusal.topic)"): "
                        + "\(refusal.reason); see its \(isLarge ? "limits" : "access list")", code: .brokerRefused,
                    place: place))
        case .subscriptionRefused(let topic, let reason):
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but refuses its subscription to \(topic): \(reason); "
                        + "see its access list", code: .brokerRefused, place: place))
        case .disconnected(let failure) where underWay != nil:
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but ends the session when it gets a message"
                        + "\(size.map { " " + $0 } ?? ""): \(failure)", code: .brokerRefused, place: place))
        case .connectFailed(let failure), .disconnected(let failure):
            end(
                Finding.wrong(
                    "broker", mqtt.complaint(about: failure), code: .brokerFailed, place: place))
        case .acknowledged, .downgraded, .drained, .message, .oversized, .subscriptionAccepted:
            break  // They change nothing.
        }
        return []
    }

    /// The size of the large message, while that is under way.
    private var size: String? {
        guard let bytes = underWay?.payload.count, bytes > 1000 else { return nil }
        return "of \(bytes) bytes, as large as the gateway's largest"
    }

    mutating func published(_ outcome: PublishOutcome) {
        switch outcome {
        case .taken: break
        case .tooLarge(let limit):
            end(
                Finding.note(
                    "broker",
                    "\(place) accepts the gateway, but no message of more than \(limit) bytes; larger ones are dropped")
            )
        case .full:
            // The line takes it once it has carried the last one.
            if let underWay { waiting.insert(underWay, at: 0) }
            underWay = nil
        case .offline: isOver = true
        }
    }

    private mutating func next() -> [OutgoingMessage] {
        underWay = waiting.first
        guard underWay != nil else {
            end(accepted)
            return []
        }
        return [waiting.removeFirst()]
    }

    private var accepted: Finding {
        guard keepsRetained else {
            return Finding.note(
                "broker",
                "\(place) accepts the gateway and its messages, but keeps no retained ones: who subscribes later, sees a "
                    + "value only when it changes")
        }
        let text = "\(place) accepts the gateway and its messages"
        guard let login, login > Self.slowLogin else { return Finding.ok("broker", text) }
        let tenths = Int(login / .milliseconds(100))
        return Finding.ok("broker", "\(text); the login took \(tenths / 10).\(tenths % 10) s: the line is slow")
    }

    private mutating func end(_ finding: Finding) {
        self.finding = finding
        isOver = true
    }
}
