import Foundation
import Gateway
import MosquittoClient
import TestSupport
import Testing

/// `mqtt.protocol: auto` with brokers that only speak MQTT 3.1.1.
@Suite(.timeLimit(.minutes(10))) struct ProtocolVersionTests {
    private func start(_ port: Int, _ version: MQTTVersion?) throws -> (MosquittoClient, ClientLog) {
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: port, clientID: "a", version: version, subscriptions: ["x"]))
        let log = ClientLog(client)
        client.start()
        return (client, log)
    }

    private func downgrades(_ log: ClientLog) -> Int {
        log.all.count { if case .downgraded = $0 { true } else { false } }
    }

    /// NATS refuses the version, RabbitMQ 3.10 closes the connection: the session begins with 3.1.1.
    @Test(arguments: [true, false]) func anOldBrokerGetsMQTT311(_ says: Bool) async throws {
        let broker = try await OldBroker(says: says)
        let (client, log) = try start(broker.port, nil)
        try await eventually("connected: \(log.all)") { (log.versions == [.v311]).orNil }
        #expect(log.failures.isEmpty && downgrades(log) == 1, "\(log.all)")
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("hello".utf8))) == .taken)
        try await eventually("a message") { (log.payloads == ["hello"]).orNil }
        await client.stop()
    }

    /// If MQTT 5 is configured, the failure names the setting.
    @Test(arguments: [true, false]) func anOldBrokerWithConfiguredMQTT5NamesTheRemedy(_ says: Bool) async throws {
        let broker = try await OldBroker(says: says)
        let (client, log) = try start(broker.port, .v5)
        let failure = try await eventually("a failure") { log.failures.first }
        #expect(failure.code == (says ? .unsupportedVersion : .lost))
        #expect(failure.detail.contains("mqtt.protocol") && failure.detail.contains("auto"), "\(failure)")
        await client.stop()
    }

    /// A restarting broker closes a connection, too, but it is no old one.
    @Test func aBrokerThatHangsUpOnceKeepsMQTT5() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .hangsUpOnConnect(times: 1))
        let (client, log) = try start(line.port, nil)
        try await eventually("connected: \(log.all)") { (log.versions == [.v5]).orNil }
        #expect(downgrades(log) == 0)
        await client.stop()
    }

    /// After an outage another broker may be there.
    @Test func anOutageResetsTheVersion() async throws {
        let old = try await OldBroker(says: false)
        let (client, log) = try start(old.port, nil)
        try await eventually("connected: \(log.all)") { (log.versions == [.v311]).orNil }
        try await old.stop()
        try await eventually("away: \(log.all)") { log.failures.contains { $0.code == .unreachable }.orNil }
        let new = try await Broker(port: old.port)
        try await eventually("connected: \(log.all)") { (log.versions == [.v311, .v5]).orNil }
        await client.stop()
        try await new.stop()
    }
}

/// A broker that only speaks MQTT 3.1.1.
private final class OldBroker {
    let port: Int
    private var keep: [AnyObject]
    private let child: Child

    /// - Parameter says: true behaves like NATS, false like RabbitMQ 3.10 (with mosquitto behind it).
    init(says: Bool) async throws {
        if says {
            port = Broker.freePort()
            let directory = try temporaryDirectory()
            let file = directory.appendingPathComponent("nats.conf")
            try """
            server_name: old
            listen: "127.0.0.1:\(Broker.freePort())"
            jetstream { store_dir: "\(directory.path)/jetstream" }
            mqtt { listen: "127.0.0.1:\(port)" }
            """.write(to: file, atomically: true, encoding: .utf8)
            child = try Child("nats-server", ["-c", file.path])
            keep = []
            try await eventually("NATS is ready: \(child.text)") { child.text.contains("Server is ready").orNil }
        } else {
            let broker = try await Broker()
            let proxy = try await BrokerProxy(port: broker.port, .hangsUpOnVersion5)
            (port, child, keep) = (proxy.port, proxy.child, [broker, proxy])
        }
    }

    func stop() async throws {
        child.kill(SIGKILL)
        _ = try await child.exitCode()
    }
}
