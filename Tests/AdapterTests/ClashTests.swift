import Foundation
import Gateway
import MosquittoClient
import Synchronization
import TestSupport
import Testing

/// Two clients with one id, and brokers that only behave as if there were two, with a real mosquitto.
@Suite(.timeLimit(.minutes(10))) struct ClashTests {
    /// Each reports the clash once. Then one leaves the session to the other.
    @Test(arguments: MQTTVersion.allCases)
    func twoClientsWithOneIDEachReportTheClash(_ version: MQTTVersion) async throws {
        let broker = try await Broker()
        let configuration = MosquittoConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "twin", version: version)
        let clients = [try MosquittoClient(configuration), try MosquittoClient(configuration)]
        let logs = clients.map { ClientLog($0) }
        for client in clients { client.start() }
        for log in logs {
            let told = try await eventually("told: \(log.all)") {
                log.failures.first { $0.code == .takenOver }
            }
            #expect(told.detail.contains("mqtt.client_id"))
        }
        // One client keeps the session now.
        let sessions = { logs.map(\.connections).reduce(0, +) }
        var (seen, since) = (0, ContinuousClock.now)
        try await eventually("peace for four seconds") {
            if sessions() != seen { (seen, since) = (sessions(), .now) }
            return (ContinuousClock.now - since > .seconds(4)).orNil
        }
        for client in clients { await client.stop() }
    }

    /// The broker restarts several times. The client finds it away, reconnects each time, and reports no clash.
    @Test(arguments: MQTTVersion.allCases)
    func aBrokerThatRestartsIsNoClash(_ version: MQTTVersion) async throws {
        var broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", version: version))
        let log = ClientLog(client)
        client.start()
        for round in 1...8 {
            try await eventually("connected: \(log.failures)") { (log.connections == round).orNil }
            try await broker.stop()
            // A client that other programs hold up may miss a short absence.
            try await eventually("found away: \(log.failures)") {
                (log.failures.filter { $0.detail == "Connection refused" }.count >= round).orNil
            }
            broker = try await Broker(port: broker.port)
        }
        try await eventually("connected") { (log.connections == 9).orNil }
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        await client.stop()
    }

    /// A stopping node of a cluster accepts the login and hangs up on SUBSCRIBE. The client concludes nothing about its
    /// messages or other clients.
    @Test func aHangUpBeforeTheSubAckMeansNothing() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .hangsUpOnSubscribe(times: 9))
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: line.port, clientID: "a", subscriptions: ["x"]))
        let log = ClientLog(client)
        let outcomes = Mutex<[PublishOutcome]>([])
        client.start()
        let large = OutgoingMessage(topic: "x", payload: Array(repeating: 65, count: 4000))
        let publishing = Task {
            var seen = 0
            while !Task.isCancelled {
                if log.connections > seen {
                    seen = log.connections
                    outcomes.withLock { $0.append(client.publish(large)) }
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { publishing.cancel() }
        try await eventually("the large one arrives: \(log.failures)") { (log.messages.count == 1).orNil }
        #expect(outcomes.withLock { $0 }.allSatisfy { $0 == .taken })
        #expect(!log.failures.contains { $0.code == .takenOver || $0.detail.contains("too large") }, "\(log.failures)")
        await client.stop()
    }

    /// Measures one long outage; `ReconnectRuleTests` has the others.
    @Test func reconnectsSoonAfterALongOutage() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        var current = broker
        let wait = try await bestOfThree(below: .seconds(3)) {
            let (failures, connections) = (log.failures.count, log.connections)
            try await current.stop()
            try await eventually("tried for a while") { (log.failures.count >= failures + 10).orNil }
            current = try await Broker(port: broker.port)
            let returned = ContinuousClock.now
            try await eventually("connected again") { (log.connections > connections).orNil }
            return ContinuousClock.now - returned
        }
        #expect(wait < .seconds(3))
        await client.stop()
        try await current.stop()
    }
}
