import Foundation
import Gateway
import MosquittoClient
import TestSupport
import Testing

/// Messages that are too large for the gateway or for the broker, with a real mosquitto.
@Suite(.timeLimit(.minutes(10))) struct BrokerLimitsTests {
    /// A retained message of 2 MB: with MQTT 5 the broker does not send it; with 3.1.1 the session ends and names the
    /// remedy.
    @Test(arguments: MQTTVersion.allCases)
    func aHugeRetainedMessageIsKeptOut(_ version: MQTTVersion) async throws {
        let broker = try await Broker()
        let file = broker.directory.appendingPathComponent("huge")
        try Data(count: 2_000_000).write(to: file)
        let huge = try Child(
            "mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "in/huge", "-f", file.path])
        #expect(try await huge.exitCode() == 0)
        let (client, log) = try start(broker, version, subscriptions: ["in/#"])
        if version == .v5 {
            try await eventually("connected") { (log.connections == 1).orNil }
            try publish(port: broker.port, topic: "in/small", "small")
            try await eventually("the small one") { (log.payloads == ["small"]).orNil }
            #expect(log.failures.isEmpty)
        } else {
            let failure = try await eventually("the session ends") { log.failures.first }
            #expect(failure.code == .oversized)
            #expect(failure.detail.contains("message_size_limit"))
        }
        await client.stop()
    }

    /// A fleet's board hears all other cars, whatever one of them publishes, also if it stays retained.
    @Test func aClientMayReadAndDropHugeMessages() async throws {
        let broker = try await Broker()
        let file = broker.directory.appendingPathComponent("huge")
        try Data(count: 2_000_000).write(to: file)
        func publishHuge() async throws {
            let huge = try Child(
                "mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "in/huge", "-f", file.path])
            #expect(try await huge.exitCode() == 0)
        }
        try await publishHuge()
        var configuration = MosquittoConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "a", version: .v311, subscriptions: ["in/#"])
        configuration.readsOversized = true
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        try await publishHuge()
        try publish(port: broker.port, topic: "in/small", "small")
        try await eventually("the small one") { (log.payloads == ["small"]).orNil }
        #expect(log.oversized == ["in/huge", "in/huge"] && log.failures.isEmpty)
        #expect(client.incomingDropped == 2)
        await client.stop()
    }

    /// With a broker that allows few unacknowledged messages, 1000 messages still pass quickly.
    @Test(arguments: [1, 5, 20, 0], MQTTVersion.allCases)
    func aFloodPassesWithAnyInFlightLimit(_ inFlight: Int, _ version: MQTTVersion) async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nmax_inflight_messages \(inFlight)")
        let (client, log) = try start(broker, version, subscriptions: [])
        try await eventually("connected") { (log.connections == 1).orNil }
        let keys = Array(UInt64(1)...1000)
        for key in keys {
            let message = OutgoingMessage(topic: "x", payload: Array(repeating: 65, count: 400), key: key)
            try await eventually("room for \(key)") { (client.publish(message) == .taken).orNil }
        }
        try await eventually("all are acknowledged") { (log.acknowledged.sorted() == keys).orNil }
        #expect(log.failures.isEmpty)
        await client.stop()
    }

    /// The message is noticed at any speed, also between acknowledgements, and if one read call completes it.
    @Test func aHugeMessageIsAlwaysNoticed() async throws {
        let broker = try await Broker()
        let file = broker.directory.appendingPathComponent("huge")
        try Data(count: 30_000_000).write(to: file)
        let huge = try Child(
            "mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "in/huge", "-f", file.path])
        #expect(try await huge.exitCode() == 0)
        for start in 1...8 {
            let (client, log) = try self.start(broker, .v311, subscriptions: ["other", "in/#"])
            try await eventually("connected") { (log.connections == 1).orNil }
            for number in 1...20 {
                _ = client.publish(OutgoingMessage(topic: "out/\(number)", payload: Array("x".utf8)))
            }
            let failure = try await eventually("session \(start) ends") { log.failures.first }
            #expect(failure.code == .oversized, "\(failure)")
            #expect(log.messages.isEmpty)
            await client.stop()
        }
    }

    /// A UNIX socket does not count received bytes: the message is noticed by its size when it is whole.
    @Test func aHugeMessageIsNoticedOnAUNIXSocket() async throws {
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("broker.sock").path
        let broker = try await Broker(
            listener: "allow_anonymous true\nlistener 0 \(path)\nallow_anonymous true", directory: folder)
        let file = folder.appendingPathComponent("huge")
        try Data(count: 2_000_000).write(to: file)
        let huge = try Child(
            "mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "in", "-f", file.path])
        #expect(try await huge.exitCode() == 0)
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: path, port: 0, clientID: "a", version: .v311, subscriptions: ["in"]))
        let log = ClientLog(client)
        client.start()
        let failure = try await eventually("the session ends") { log.failures.first }
        #expect(failure.code == .oversized, "\(failure)")
        await client.stop()
    }

    /// mosquitto does not send messages beyond the limit in CONNECT.
    @Test func theBrokerHonoursOurPacketLimit() async throws {
        let broker = try await Broker()
        let (client, log) = try start(broker, .v5, subscriptions: ["in"])
        try await eventually("connected") { (log.connections == 1).orNil }
        let file = broker.directory.appendingPathComponent("message")
        // 2 + 2 bytes of topic, 2 of message id, 1 of properties, 4 of the fixed header: 65 536 with 65 525 of payload.
        for (size, isHeard) in [(65_600, false), (65_530, false), (65_500, true)] {
            try Data(repeating: 65, count: size).write(to: file)
            let sender = try Child("mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-t", "in", "-f", file.path])
            #expect(try await sender.exitCode() == 0)
            if isHeard { try await eventually("the smaller one") { (log.messages.count == 1).orNil } }
        }
        #expect(log.payloads.map(\.utf8.count) == [65_500])
        #expect(client.incomingDropped == 0)
        #expect(log.failures.isEmpty)
        await client.stop()
    }

    /// The broker names its limit. The client refuses the larger message; all others pass.
    @Test func aMessageTooLargeForTheBrokerIsDroppedAlone() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nmax_packet_size 3000")
        let (client, log) = try start(broker, .v5, subscriptions: ["x"])
        try await eventually("connected") { (log.connections == 1).orNil }
        let frame = { (bytes: Int) in OutgoingMessage(topic: "x", payload: Array(repeating: 65, count: bytes)) }
        #expect(client.publish(frame(3000)) == .tooLarge(limit: 3000))
        // 2 + 1 bytes of topic, 2 of message id, 1 of properties, 3 of the fixed header.
        #expect(client.publish(frame(2992)) == .tooLarge(limit: 3000))
        #expect(client.publish([frame(2991), frame(4000)]) == [.taken, .tooLarge(limit: 3000)])
        try await eventually("room") { (client.publish(frame(3)) == .taken).orNil }
        try await eventually("the others arrive") { (log.payloads.map(\.count) == [2991, 3]).orNil }
        #expect(log.failures.isEmpty)
        await client.stop()
    }

    /// MQTT 3.1.1 shows the retain flag only on answers to a subscription: in its first second each message is in
    /// doubt.
    @Test(arguments: MQTTVersion.allCases)
    func retainedMessagesAreRecognised(_ version: MQTTVersion) async throws {
        let broker = try await Broker()
        try publish(port: broker.port, topic: "in", "old", more: ["-r"])
        let (client, log) = try start(broker, version, subscriptions: ["in"])
        let old = try await eventually("the old one") { log.messages.first }
        #expect(old.isRetained)
        #expect(old.mayBeRetained == (version == .v311))
        try await eventually("no doubt any more") {
            try publish(port: broker.port, topic: "in", "retained now", more: ["-r"])
            return log.messages.last { !$0.mayBeRetained && $0.payload == Array("retained now".utf8) }
        }
        #expect(log.messages.last?.isRetained == (version == .v5))
        await client.stop()
    }

    /// On a subscription that is not for commands only stored messages show the flag.
    @Test func aLiveMessageShowsItsRetainFlagOnlyOnRequest() async throws {
        let broker = try await Broker()
        try publish(port: broker.port, topic: "in", "old", more: ["-r"])
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a", subscriptions: ["in"]))
        let log = ClientLog(client)
        client.start()
        try await eventually("the old one") { log.messages.first }
        try publish(port: broker.port, topic: "in", "new", more: ["-r"])
        try await eventually("the new one") { (log.messages.count == 2).orNil }
        #expect(log.messages.map(\.isRetained) == [true, false])
        await client.stop()
    }

    private func start(
        _ broker: Broker, _ version: MQTTVersion, subscriptions: [String]
    ) throws -> (MosquittoClient, ClientLog) {
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", version: version,
                subscriptions: subscriptions, retainAsPublished: Set(subscriptions)))
        let log = ClientLog(client)
        client.start()
        return (client, log)
    }
}
