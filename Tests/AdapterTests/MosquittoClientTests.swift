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
        var payloads: [String] {
            all.compactMap {
                if case .message(let message) = $0 { String(decoding: message.payload, as: UTF8.self) } else { nil }
            }
        }
        var failures: [MosquittoFailure] {
            all.compactMap { event in
                switch event {
                case .connectFailed(let failure), .disconnected(let failure): failure
                case .connected, .message, .drained: nil
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
        #expect(client.publish(message))
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
        #expect(client.publish(MosquittoMessage(topic: "will/bye", payload: Array("bye".utf8))))
        await client.stop()
        try await subscriber.first(on: "will/bye")
        #expect(subscriber.messages(on: "will/a").isEmpty)
    }

    @Test func reconnectsAndResendsOnlyWhatSurvives() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", subscriptions: ["x"]))
        let log = Log(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        try await broker.stop()
        try await eventually("lost") { (!log.failures.isEmpty).orNil }
        #expect(client.publish(MosquittoMessage(topic: "x", payload: Array("kept".utf8), survivesSession: true)))
        let again = try await Broker(port: broker.port)
        try await eventually("connected again") { (log.connections == 2).orNil }
        try await eventually("the kept one arrives") { (log.payloads == ["kept"]).orNil }
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

    @Test func boundsWhatWaits() async throws {
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: Broker.freePort(), clientID: "a"))
        var taken = 0
        while client.publish(MosquittoMessage(topic: "x", payload: [1])), taken < 10_000 { taken += 1 }
        #expect(taken == MosquittoClient.queueLimit)
        #expect(client.queueDepth == taken)
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
