import Foundation
import Gateway
import MosquittoClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct MosquittoClientTests {
    @Test(arguments: MQTTVersion.allCases)
    func publishesAndReceives(_ version: MQTTVersion) async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", version: version, subscriptions: ["in"]))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(client.publish(OutgoingMessage(topic: "in", payload: Array("one".utf8))) == .taken)
        try await eventually("the message comes back") { (log.payloads == ["one"]).orNil }
        let properties = ["response-topic", "back", "-D", "publish", "correlation-data", "7"]
        try publish(port: broker.port, topic: "in", "two", more: ["-V", "5", "-D", "publish"] + properties)
        let received = try await eventually("a request") { log.messages.last { $0.payload == Array("two".utf8) } }
        #expect(received.responseTopic == (version == .v5 ? "back" : nil))
        #expect(received.correlationData == (version == .v5 ? Array("7".utf8) : nil))
        await client.stop()
    }

    /// Host -> a part of the refusal; nil if the host is accepted.
    @Test(
        arguments: [
            ("localhost", nil), ("127.0.0.1", nil), ("::1", nil), ("fe80::1%lo", nil), ("/run/broker:1.sock", nil),
            ("host:99999", "for example host; the port goes into mqtt.port"), ("host:", "for example host;"),
            ("127.0.0.1:1883", "for example 127.0.0.1;"), ("[::1]:1883", "for example ::1;"),
            ("[::1]", "for example ::1;"), ("mqtt://host:1883/x", "alone (host) and mqtt.port"),
        ] as [(String, String?)])
    func wrongHostsAreRefused(_ host: String, _ complaint: String?) {
        do throws(BrokerFailure) {
            _ = try MosquittoClient(MosquittoConfiguration(host: host, clientID: "a"))
            #expect(complaint == nil, "\(host)")
        } catch {
            #expect(error.code == .configuration)
            #expect(complaint.map { error.detail.contains($0) } == true, "\(host): \(error)")
        }
    }

    @Test(arguments: MQTTVersion.allCases)
    func aRefusedSubscriptionIsReported(_ version: MQTTVersion) async throws {
        let broker = try await Broker.refusingSubscriptions(except: ["allowed"])
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", version: version,
                subscriptions: ["secret", "allowed"]))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(log.subscriptionsRefused == [version == .v5 ? "secret: Not authorized" : "secret: Unspecified error"])
        #expect(client.refusedSubscriptions == ["secret"])
        #expect(client.publish(OutgoingMessage(topic: "allowed", payload: Array("heard".utf8))) == .taken)
        try await eventually("the other one stands") { (log.payloads == ["heard"]).orNil }
        await client.stop()
    }

    /// A cluster that elects a leader refuses for a while. Here a proxy refuses, because mosquitto would end the
    /// session.
    @Test func aRefusedSubscriptionIsTriedAgain() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .refusesSubscription(times: 1))
        var configuration = MosquittoConfiguration(
            host: "127.0.0.1", port: line.port, clientID: "a", subscriptions: ["in"])
        #expect(configuration.times.subscriptionInterval == .seconds(30))
        configuration.times.subscriptionInterval = .seconds(2)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(log.subscriptionsRefused.count == 1)
        try await eventually("accepted") { log.all.contains(.subscriptionAccepted(topic: "in")).orNil }
        #expect(client.refusedSubscriptions.isEmpty)
        #expect(log.connections == 1 && log.subscriptionsRefused.count == 1)
        await client.stop()
    }

    /// PUBACK with each reason: transient or not. A made-up broker sends them, as mosquitto does not send them all.
    @Test(arguments: [(0x97, true), (0x80, true), (0x83, true), (0x87, false), (0x90, false), (0x99, false)])
    func aRefusedMessageIsReportedWithItsReason(_ reason: Int, _ isTransient: Bool) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .refusesMessages(reason: reason, times: 1))
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: line.port, clientID: "a", subscriptions: ["in"]))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        let messages = (1...2).map { OutgoingMessage(topic: "in", payload: [64 + $0], key: UInt64($0)) }
        #expect(client.publish(messages) == [.taken, .taken])
        try await eventually("the second one arrives: \(log.all)") { (log.payloads == ["B"]).orNil }
        try await eventually("its key") { log.acknowledged.contains(2).orNil }
        #expect(log.acknowledged.contains(1) == !isTransient)
        guard case .refused(let refusal)? = log.all.first(where: { if case .refused = $0 { true } else { false } })
        else {
            Issue.record("\(log.all)")
            return
        }
        #expect(refusal.key == 1 && refusal.isTransient == isTransient)
        #expect(log.failures.isEmpty)
        await client.stop()
    }

    /// The session goes on.
    @Test func aMessageTheLibraryRefusesIsDroppedAlone() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", subscriptions: ["in"]))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        let messages = ["in/+", "in"].map { OutgoingMessage(topic: $0, payload: [65], key: UInt64($0.utf8.count)) }
        #expect(client.publish(messages) == [.taken, .taken])
        try await eventually("the other one arrives: \(log.all)") { (log.payloads == ["A"]).orNil }
        try await eventually("both keys are told") { (log.acknowledged == [4, 2]).orNil }
        #expect(log.refused == ["in/+"] && log.failures.isEmpty)
        await client.stop()
    }

    @Test func theWillIsPublishedOnlyAfterADeath() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port, topic: "will/#")
        var configuration = MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a")
        configuration.will = .init(topic: "will/a", payload: Array("offline".utf8))
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(client.publish(OutgoingMessage(topic: "will/bye", payload: Array("bye".utf8))) == .taken)
        await client.stop()
        try await subscriber.first(on: "will/bye")
        #expect(subscriber.messages(on: "will/a").isEmpty)
    }

    /// The client never sends a message a second time by itself.
    @Test func unacknowledgedMessagesAreNotSentAgain() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", subscriptions: ["x"]))
        let log = ClientLog(client)
        #expect(client.publish(OutgoingMessage(topic: "x", payload: [], key: 1)) == .offline)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        for key in UInt64(2)...4 {
            #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("\(key)".utf8), key: key)) == .taken)
        }
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("no key".utf8))) == .taken)
        try await eventually("acknowledged in order") { (log.acknowledged == [2, 3, 4]).orNil }
        try await eventually("all came back") { (log.payloads == ["2", "3", "4", "no key"]).orNil }
        // A stopped broker acknowledges nothing, and its messages are not sent again.
        broker.kill(SIGSTOP)
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("5".utf8), key: 5)) == .taken)
        try await broker.stop()
        try await eventually("lost") { (!log.failures.isEmpty).orNil }
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("6".utf8), key: 6)) == .offline)
        let again = try await Broker(port: broker.port)
        try await eventually("connected again") { (log.connections == 2).orNil }
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("7".utf8), key: 7)) == .taken)
        try await eventually("only the new one arrives") { (log.payloads == ["2", "3", "4", "no key", "7"]).orNil }
        try await eventually("acknowledged") { (log.acknowledged == [2, 3, 4, 7]).orNil }
        await client.stop()
        try await again.stop()
    }

    @Test func connectsThroughAUNIXSocket() async throws {
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("broker.sock").path
        let broker = try await Broker(listener: "allow_anonymous true\nlistener 0 \(path)", directory: folder)
        let client = try MosquittoClient(MosquittoConfiguration(host: path, port: 0, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected: \(log.failures) \(broker.port)") { (log.connections == 1).orNil }
        await client.stop()
    }

    /// With a broker that accepts nothing the queue is bounded. The client reports when there is room again.
    @Test func theQueueIsBounded() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        broker.kill(SIGSTOP)
        var taken = 0
        while client.publish(OutgoingMessage(topic: "x", payload: [1])) == .taken, taken < 10_000 { taken += 1 }
        #expect((1...MosquittoClient.queueLimit + MosquittoClient.window).contains(taken))
        broker.kill(SIGCONT)
        try await eventually("there is room again") { log.all.contains(.drained).orNil }
        await client.stop()
    }

    @Test func aRefusedLoginIsReported() async throws {
        let broker = try await Broker(listener: "allow_anonymous false")
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", username: "u", password: "p"))
        let log = ClientLog(client)
        client.start()
        let failure = try await eventually("refused") { log.failures.first }
        #expect(failure.code == .refused)
        #expect(failure.detail.lowercased().contains("not authorized"))
        let began = ContinuousClock.now
        await client.stop()
        // Sooner than the pause of 30 s after a refusal.
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    /// A stop is quick with a silent peer and with an absent one.
    @Test func stopsQuicklyWhileConnecting() async throws {
        let silent = try SocketServer()
        for port in [silent.port, Broker.freePort()] {
            let client = try MosquittoClient(MosquittoConfiguration(host: "127.0.0.1", port: port, clientID: "a"))
            client.start()
            let began = ContinuousClock.now
            await client.stop()
            // It waits 2.5 s at most for the thread.
            #expect(ContinuousClock.now - began < .seconds(20))
        }
    }

    @Test(arguments: ["ws://broker.example:9001", "mqtt://broker.example"])
    func aURLIsNoHost(_ host: String) {
        #expect {
            _ = try MosquittoClient(MosquittoConfiguration(host: host, clientID: "a"))
        } throws: { error in
            let failure = error as? BrokerFailure
            return failure?.code == .configuration && failure?.detail.contains("websockets") == true
        }
    }

    /// A broker with an IP address needs no name server. An unknown name is reported and looked up again.
    @Test func aNameWithoutAddressIsReportedAndRetried() async throws {
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "broker.invalid", port: 1883, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        try await eventually("tried twice") { (log.failures.count >= 2).orNil }
        #expect(log.failures.allSatisfy { $0.code == .unreachable && $0.detail.contains("broker.invalid") })
        let began = ContinuousClock.now
        await client.stop()
        #expect(ContinuousClock.now - began < .seconds(20))
    }
}
