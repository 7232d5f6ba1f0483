import Foundation
import MosquittoClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct MosquittoClientTests {
    /// Collects a client's events.
    private final class Log: Sendable {
        private let events = Mutex<[MosquittoEvent]>([])

        init(_ client: MosquittoClient) {
            Task {
                for await event in client.events {
                    if case .message = event { client.messageTaken() }
                    events.withLock { $0.append(event) }
                }
            }
        }

        var all: [MosquittoEvent] { events.withLock { $0 } }
        var connections: Int { all.count { $0 == .connected } }
        var acknowledged: [UInt64] {
            all.flatMap { event -> [UInt64] in if case .acknowledged(let keys) = event { keys } else { [] } }
        }
        var payloads: [String] {
            all.compactMap {
                if case .message(let message) = $0 { String(decoding: message.payload, as: UTF8.self) } else { nil }
            }
        }
        var failures: [MosquittoFailure] {
            all.compactMap { event in
                switch event {
                case .connectFailed(let failure), .disconnected(let failure): failure
                case .connected, .message, .drained, .acknowledged: nil
                }
            }
        }
    }

    @Test(arguments: MosquittoConfiguration.ProtocolVersion.allCases)
    func publishesAndReceives(_ version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", protocolVersion: version, subscriptions: ["in"]))
        let log = Log(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        let message = MosquittoMessage(
            topic: "in", payload: Array("one".utf8), responseTopic: "back", correlationData: [7])
        #expect(client.publish(message) == .taken)
        try await eventually("the message comes back") { (log.payloads == ["one"]).orNil }
        guard case .message(let received)? = log.all.last else { return }
        #expect(received.responseTopic == (version == .v5 ? "back" : nil))
        #expect(received.correlationData == (version == .v5 ? [7] : nil))
        await client.stop()
    }

    @Test func willAfterDeathAndNoneAfterACleanEnd() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port, topic: "will/#")
        var configuration = MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a")
        configuration.will = .init(topic: "will/a", payload: Array("offline".utf8))
        let client = try MosquittoClient(configuration)
        let log = Log(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(client.publish(MosquittoMessage(topic: "will/bye", payload: Array("bye".utf8))) == .taken)
        await client.stop()
        try await subscriber.first(on: "will/bye")
        #expect(subscriber.messages(on: "will/a").isEmpty)
    }

    /// What was not acknowledged is its owner's again: nothing goes out a second time by itself.
    @Test func acknowledgesByKeyAndForgetsWithTheSession() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", subscriptions: ["x"]))
        let log = Log(client)
        #expect(client.publish(MosquittoMessage(topic: "x", payload: [], key: 1)) == .offline)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        for key in UInt64(2)...4 {
            #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("\(key)".utf8), key: key)) == .taken)
        }
        #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("no key".utf8))) == .taken)
        try await eventually("acknowledged in order") { (log.acknowledged == [2, 3, 4]).orNil }
        // A broker that is stopped dead acknowledges nothing, and what it had is not sent anew.
        broker.kill(SIGSTOP)
        #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("5".utf8), key: 5)) == .taken)
        try await broker.stop()
        try await eventually("lost") { (!log.failures.isEmpty).orNil }
        #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("6".utf8), key: 6)) == .offline)
        let again = try await Broker(port: broker.port)
        try await eventually("connected again") { (log.connections == 2).orNil }
        #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("7".utf8), key: 7)) == .taken)
        try await eventually("only the new one arrives") { (log.payloads == ["2", "3", "4", "no key", "7"]).orNil }
        #expect(log.acknowledged == [2, 3, 4, 7])
        await client.stop()
        try await again.stop()
    }

    @Test func unixSocket() async throws {
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("broker.sock").path
        let broker = try await Broker(listener: "allow_anonymous true\nlistener 0 \(path)", directory: folder)
        let client = try MosquittoClient(MosquittoConfiguration(host: path, port: 0, clientID: "a"))
        let log = Log(client)
        client.start()
        try await eventually("connected: \(log.failures) \(broker.port)") { (log.connections == 1).orNil }
        await client.stop()
    }

    /// A broker that takes nothing: what waits is bounded, and room is told.
    @Test func boundsWhatWaits() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a"))
        let log = Log(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        broker.kill(SIGSTOP)
        var taken = 0
        while client.publish(MosquittoMessage(topic: "x", payload: [1])) == .taken, taken < 10_000 { taken += 1 }
        #expect((MosquittoClient.queueLimit...MosquittoClient.queueLimit + MosquittoClient.window).contains(taken))
        broker.kill(SIGCONT)
        try await eventually("there is room again") { log.all.contains(.drained).orNil }
        await client.stop()
    }

    @Test func refusedLoginIsSaid() async throws {
        let broker = try await Broker(listener: "allow_anonymous false")
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", username: "u", password: "p"))
        let log = Log(client)
        client.start()
        let failure = try await eventually("refused") { log.failures.first }
        #expect(failure.code == .refused)
        #expect(failure.detail.lowercased().contains("not authorized"))
        let began = ContinuousClock.now
        await client.stop()
        // Not after the pause of 30 s that a refusal calls for.
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test func anotherClientWithTheSameIDIsNamed() async throws {
        let broker = try await Broker()
        let configuration = MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "twin")
        let first = try MosquittoClient(configuration)
        let log = Log(first)
        first.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        let second = try MosquittoClient(configuration)
        second.start()
        let failure = try await eventually("thrown out again and again", within: 60) {
            log.failures.first { $0.code == .takenOver }
        }
        #expect(failure.detail.contains("mqtt.client_id"))
        await second.stop()
        await first.stop()
    }

    /// A peer that accepts and says nothing, and one that isn't there: stop is quick all the same.
    @Test func stopsQuicklyWhileConnecting() async throws {
        let silent = try SocketServer()
        for port in [silent.port, Broker.freePort()] {
            let client = try MosquittoClient(MosquittoConfiguration(host: "127.0.0.1", port: port, clientID: "a"))
            client.start()
            let began = ContinuousClock.now
            await client.stop()
            // It gives up waiting for the thread after 2.5 s.
            #expect(ContinuousClock.now - began < .seconds(10))
        }
    }

    @Test(arguments: ["/nonexistent.pem"])
    func unreadableTLSFilesAreAStartUpError(_ file: String) {
        var configuration = MosquittoConfiguration(clientID: "a")
        configuration.tls = .init(caFile: file)
        #expect(throws: MosquittoFailure.self) { _ = try MosquittoClient(configuration) }
        configuration.tls = .init(caFile: nil, certificateFile: file, keyFile: file)
        #expect(throws: MosquittoFailure.self) { _ = try MosquittoClient(configuration) }
    }
}
