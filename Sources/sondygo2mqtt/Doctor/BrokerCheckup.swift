import Gateway
import Glibc
import MQTTPublishing
import MosquittoClient

/// Checks whether the broker accepts the gateway, its subscriptions and its messages.
struct BrokerCheckup {
    let configuration: Configuration

    private var place: String { configuration.mqtt.place }

    var isSilent: Finding {
        Finding.wrong(
            "broker", "\(place) does not answer; is mosquitto running? See mqtt.host", code: .brokerSilent,
            place: place)
    }

    /// One finding for each broker; all are asked at the same time. The gateway needs only one broker, so if one accepts
    /// it, the faults of the others are notes.
    /// - Parameter limit: how long to wait for a broker's answers.
    func findings(within limit: Duration) async -> [Finding] {
        let checkups = configuration.mqtt.hosts.map { host in
            var one = configuration
            one.mqtt.hosts = [host]
            return BrokerCheckup(configuration: one)
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
        session.will = nil
        let client: MosquittoClient
        do throws(BrokerFailure) {
            client = try MosquittoClient(session)
        } catch {
            return Finding.wrong(
                "broker", "\(place): \(error); see mqtt in the configuration", code: .brokerFailed, place: place)
        }
        let test = topics.map { OutgoingMessage(topic: $0.prefix + "/doctor", payload: Array("{}".utf8), key: 1) }
        client.start()
        let deadline = Task {
            try await Task.sleep(for: limit)
            await client.stop()
        }
        defer { deadline.cancel() }
        var finding = isSilent
        var isDone = false
        await client.receive { event in
            guard !isDone, let news = self.finding(from: event) else { return }
            finding = news
            if case .connected = event, let test {
                // A broker applies its access list to each message, so one is published.
                isDone = client.publish(test) != .taken
            } else {
                isDone = true
            }
            if isDone { await client.stop() }
        }
        return finding
    }

    /// Nil for an event that does not matter here.
    private func finding(from event: BrokerEvent) -> Finding? {
        switch event {
        case .connected: Finding.ok("broker", "\(place) accepts the gateway")
        case .acknowledged: Finding.ok("broker", "\(place) accepts the gateway and its messages")
        case .refused(let refusal):
            Finding.wrong(
                "broker",
                "\(place) lets the gateway in, but takes no message on \(refusal.topic): \(refusal.reason); "
                    + "see its access list", code: .brokerRefused, place: place)
        case .subscriptionRefused(let topic, let reason):
            Finding.wrong(
                "broker",
                "\(place) lets the gateway in, but refuses its subscription to \(topic): \(reason); "
                    + "see its access list", code: .brokerRefused, place: place)
        case .connectFailed(let failure), .disconnected(let failure):
            Finding.wrong(
                "broker", "\(place): \(failure); see mqtt in the configuration", code: .brokerFailed, place: place)
        case .downgraded, .drained, .message, .oversized, .subscriptionAccepted: nil
        }
    }
}
