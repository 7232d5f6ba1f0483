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
        let own = session(as: "\(configuration.clientID)-doctor-\(getpid())")
        let talk = await talk(own, within: limit)
        guard let finding = talk.finding else { return isSilent }
        guard isThorough else { return finding }
        if talk.mayBeAboutID { return await again(after: finding, within: limit) }
        if talk.losesLargeOnes { return await PathSizes(session: own, topic: doctorTopic).finding(at: place) }
        guard finding.verdict == .ok, configuration.mqtt.username != nil else { return finding }
        return await SharedUserTrial(own, within: min(limit, Self.trialLimit)).isShared() ? sharedUser : finding
    }

    private var topics: Topics? { Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id) }
    private var doctorTopic: String { (topics?.prefix ?? "") + "/doctor" }

    private func session(as clientID: String) -> MosquittoConfiguration {
        var session = MosquittoConfiguration(configuration, clientID: clientID, topics: topics)
        session.will = isThorough ? topics.map { _ in .init(topic: doctorTopic, payload: Array("{}".utf8)) } : nil
        session.times.firstStep = isThorough ? MosquittoClient.longestLimit : MosquittoClient.shortestLimit
        return session
    }

    private func talk(_ session: MosquittoConfiguration, within limit: Duration) async -> BrokerTalk {
        let messages = topics.map { isThorough ? Self.thoroughMessages($0) : [Self.message($0)] } ?? []
        var talk = BrokerTalk(with: configuration.mqtt, messages: messages)
        let client: MosquittoClient
        do throws(BrokerFailure) {
            client = try MosquittoClient(session)
        } catch {
            talk.end(
                Finding.wrong(
                    "broker", "\(place): \(error); see mqtt in the configuration", code: .brokerFailed, place: place))
            return talk
        }
        await client.serve(within: limit) { event in
            guard !talk.isOver else { return }
            for message in talk.messages(after: event) { talk.published(client.publish(message)) }
            if talk.isOver { await client.stop() }
        }
        return talk
    }

    // MARK: - The client id

    /// A broker may know its clients' ids, or give rights by id. With the gateway's own id doctor would end the gateway's
    /// session, so it uses that only while no gateway runs here.
    private func again(after refused: Finding, within limit: Duration) async -> Finding {
        var refused = refused
        guard !RunningGateway.isHere(configuration) else {
            refused.text +=
                "; this was doctor's client id, not the gateway's \(configuration.clientID): if the broker gives rights by "
                + "id, stop the gateway, and run doctor again"
            return refused
        }
        let talk = await talk(session(as: configuration.clientID), within: limit)
        guard let finding = talk.finding, finding.verdict != .wrong else { return refused }
        return Finding.note(
            "broker",
            "\(place) accepts the gateway and its messages, but not doctor's own client id: `send`, dashboards and other "
                + "programs need ids that it knows")
    }

    // MARK: - The user name

    private var sharedUser: Finding {
        Finding.note(
            "broker",
            "\(place) takes the user name as client id, so it ends the session of one client when another with the same "
                + "user comes, as doctor has just done: give the gateway, `send`, dashboards and doctor a user each")
    }

    private static let trialLimit = Duration.seconds(10)

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
