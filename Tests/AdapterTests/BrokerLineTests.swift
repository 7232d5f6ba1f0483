import Foundation
import Gateway
import GatewayReports
import MosquittoClient
import Synchronization
import TestSupport
import Testing

/// Lines and brokers as cars meet them: slow, cut, busy, with a policy. A real mosquitto, mostly behind a proxy.
@Suite(.timeLimit(.minutes(10))) struct BrokerLineTests {
    private func start(
        _ ports: [Int], _ version: MQTTVersion? = nil, subscriptions: [String] = ["in"], hasWill: Bool = false,
        change: (inout MosquittoConfiguration) -> Void = { _ in }
    ) throws -> (MosquittoClient, ClientLog) {
        var configuration = MosquittoConfiguration(clientID: "a", version: version, subscriptions: subscriptions)
        configuration.brokers = ports.map { BrokerAddress(host: "127.0.0.1", port: $0) }
        if hasWill { configuration.will = .init(topic: "will", payload: Array("offline".utf8)) }
        change(&configuration)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        return (client, log)
    }

    private func retained(_ topic: String, _ text: String, key: UInt64? = nil) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: Array(text.utf8), isRetained: true, key: key)
    }

    // MARK: - The connection

    /// An answer needs longer than the first time limit: the limit grows until a session stands, with one broker as
    /// with several.
    @Test(arguments: [1, 2]) func aSlowLineGetsItsSession(_ count: Int) async throws {
        let broker = try await Broker()
        // Both ways take the time.
        let line = try await BrokerProxy(port: broker.port, .delays(milliseconds: 1250))
        let (client, log) = try start(Array(repeating: line.port, count: count)) { $0.times.firstStep = .seconds(2) }
        try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
        #expect(log.failures.count <= 1, "\(log.failures)")
        await client.stop()
    }

    /// Reasons that pass: the broker is unavailable, busy, or a quota is used up.
    @Test(arguments: [0x88, 0x89, 0x97, 0x9F]) func aBusyBrokerIsAskedAgainSoon(_ reason: Int) async throws {
        let server = try SocketServer()
        let (client, log) = try start([server.port], .v5)
        for attempt in 1...2 {
            try await server.accept()
            server.write([0x20, 0x03, 0x00, UInt8(reason), 0x00])
            try await eventually("refusal \(attempt): \(log.all)") { (log.failures.count == attempt).orNil }
            server.hangUp()
        }
        #expect(log.failures.allSatisfy { $0.code == .busy && $0.detail.contains("takes no login now") })
        await client.stop()
    }

    /// A broker answers a login twice, which MQTT forbids.
    @Test func aSecondAnswerToTheLoginEndsTheSession() async throws {
        let server = try SocketServer()
        let (client, log) = try start([server.port], .v5)
        try await server.accept()
        server.write([0x20, 0x03, 0x00, 0x00, 0x00, 0x20, 0x03, 0x00, 0x00, 0x00])
        let failure = try await eventually("the end: \(log.all)") { log.failures.first }
        #expect(failure.code == .lost && failure.detail.contains("answered the login twice"), "\(failure)")
        server.hangUp()
        await client.stop()
    }

    /// The client id is refused: the text says how long it is and what to set.
    @Test func aRefusedClientIDIsNamed() async throws {
        let server = try SocketServer()
        let (client, log) = try start([server.port], .v5) { $0.clientID = "sondygo2mqtt-car1-0123456789" }
        try await server.accept()
        server.write([0x20, 0x03, 0x00, 0x85, 0x00])
        let failure = try await eventually("refused") { log.failures.first }
        #expect(failure.code == .refused && failure.detail.contains("of 28 characters"), "\(failure)")
        #expect(failure.detail.contains("mqtt.client_id"))
        server.hangUp()
        await client.stop()
    }

    /// A refused login says as whom and with what.
    @Test(
        arguments: [
            (nil, nil, nil, "without a user name, see mqtt.username"),
            ("car", nil, nil, "as user car, without a password, see mqtt.password_file"),
            ("car", "secret", nil, "as user car, with a password"),
            ("car", "secret ", nil, "as user car, with a password that begins or ends with a blank"),
            ("car", "'secret'", nil, "as user car, with a password in quotes"),
            ("car", nil, "/etc/x", "as user car, without a password: this user can't read /etc/x; run it with sudo"),
        ] as [(String?, String?, String?, String)])
    func aRefusedLoginSaysAsWhom(
        _ user: String?, _ password: String?, _ hidden: String?, _ text: String
    ) async throws {
        let broker = try await Broker(listener: "allow_anonymous false")
        let (client, log) = try start([broker.port]) { configuration in
            (configuration.username, configuration.password) = (user, password)
            configuration.unreadablePasswordFile = hidden
        }
        let failure = try await eventually("refused") { log.failures.first }
        #expect(failure.code == .refused && failure.detail.hasSuffix("(\(text))"), "\(failure)")
        #expect(!failure.detail.contains("secret"))
        await client.stop()
    }

    @Test func aHostNameWithoutASCIIIsExplained() {
        let failure = #expect(throws: BrokerFailure.self) {
            _ = try MosquittoClient(MosquittoConfiguration(host: "bröker.example", clientID: "a"))
        }
        #expect(failure?.code == .configuration && failure?.detail.contains("xn--") == true)
    }

    // MARK: - The session

    /// DISCONNECT with a reason while several messages are under way: the library tells it twice, the second time
    /// without.
    @Test(arguments: [(0x87, "Not authorized"), (0x97, "Quota"), (0x8B, "shutting down"), (0x9A, "no retained")])
    func theReasonOfADisconnectIsTold(_ reason: Int, _ words: String) async throws {
        let server = try SocketServer()
        let (client, log) = try start([server.port], .v5, subscriptions: [])
        try await server.accept()
        server.write([0x20, 0x03, 0x00, 0x00, 0x00])
        try await eventually("connected") { (log.connections == 1).orNil }
        for number in 1...5 { #expect(client.publish(retained("x/\(number)", "value")) == .taken) }
        try await eventually("messages") { server.read().contains("x/5").orNil }
        server.write([0xE0, 0x02, UInt8(reason), 0x00])
        let failure = try await eventually("lost") { log.failures.first }
        #expect(failure.detail.contains(words), "\(failure)")
        server.hangUp()
        await client.stop()
    }

    /// A cut of a second: the broker holds the will back, and the session goes on. Without a return it publishes it.
    @Test func aShortCutIsNoDeath() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .hangsUpOnConnect(times: 0))
        let subscriber = try await Subscriber(port: broker.port, topic: "will")
        let (client, log) = try start([line.port], hasWill: true) { $0.times.willDelay = .seconds(6) }
        for round in 1...3 {
            try await eventually("connected: \(log.all)") { (log.connections == round).orNil }
            line.cut()
        }
        try await eventually("connected again") { (log.connections == 4).orNil }
        #expect(client.publish(retained("will", "online")) == .taken)
        try await subscriber.first(on: "will")
        #expect(subscriber.messages(on: "will").compactMap(\.payload) == ["online"])
        line.child.kill(SIGKILL)
        try await eventually("the will") { (subscriber.messages(on: "will").count == 2).orNil }
        await client.stop()
    }

    /// A broker that keeps no retained messages: the session begins without them, and that is told.
    @Test func aBrokerWithoutRetainedMessagesIsUsed() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nretain_available false")
        let (client, log) = try start([broker.port], hasWill: true)
        try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
        try await eventually("told") { log.all.contains(.lacks(.retained)).orNil }
        #expect(client.publish(retained("in", "value", key: 1)) == .taken)
        #expect(client.publish(retained("gone", "", key: 2)) == .taken)
        try await eventually("it arrives: \(log.all)") { (log.payloads == ["value"]).orNil }
        try await eventually("both are done") { (log.acknowledged.sorted() == [1, 2]).orNil }
        #expect(client.line?.keepsRetained == false && log.failures.isEmpty, "\(log.failures)")
        await client.stop()
    }

    /// A broker takes QoS 0 only. The client sends everything with it, the will too, and says so.
    @Test func aBrokerWithoutAcknowledgementsIsUsed() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nmax_qos 0")
        let (client, log) = try start([broker.port], hasWill: true)
        try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
        try await eventually("told") { log.all.contains(.lacks(.acknowledgement)).orNil }
        #expect(client.publish(retained("in", "value", key: 1)) == .taken)
        try await eventually("it arrives: \(log.all)") { (log.payloads == ["value"]).orNil }
        try await eventually("it is done") { (log.acknowledged == [1]).orNil }
        #expect(log.failures.isEmpty && log.refused.isEmpty, "\(log.all)")
        await client.stop()
    }

    /// A line that is cut after the same time again and again, and a broker that hangs up over too many messages, without
    /// a reason: no other client is blamed, even if there is little to send during the trial. With the limit the session
    /// stands at last.
    @Test(arguments: [false, true]) func endsWithoutAReasonAreNoRival(_ isLimit: Bool) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(
            port: broker.port, isLimit ? .limits(messages: 4, milliseconds: 2000) : .cutsAfter(milliseconds: 700))
        let (client, log) = try start([line.port], .v5, subscriptions: ["x/#"])
        let publishing = Task {
            var (number, quiet) = (0, 0)
            while !Task.isCancelled {
                // The session after six ends is a trial.
                let isQuiet = isLimit && log.failures.count == 6 && quiet < 80
                quiet += isQuiet ? 1 : 0
                number += isQuiet ? 0 : 1
                if !isQuiet {
                    _ = client.publish(OutgoingMessage(topic: "x/\(number % 9)", payload: Array("\(number)".utf8)))
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { publishing.cancel() }
        let told = try await eventually("told: \(log.failures)") {
            log.failures.first { $0.detail.contains("also under another client id") }
        }
        #expect(told.detail.contains("the line is cut, or the broker limits"))
        if isLimit {
            var (seen, since) = (0, ContinuousClock.now)
            try await eventually("a session that stands: \(log.connections)", within: 120) {
                if log.connections != seen { (seen, since) = (log.connections, .now) }
                return (ContinuousClock.now - since > .seconds(8)).orNil
            }
            let count = log.messages.count
            try await eventually("messages go on") { (log.messages.count > count + 3).orNil }
        } else {
            let count = log.connections
            try await eventually("it goes on: \(log.connections)") { (log.connections > count + 5).orNil }
        }
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        await client.stop()
    }

    /// The broker takes the user name as client id, and another client has the same user: found out. Several callers may
    /// stop a client.
    @Test func aSharedUserIsRecognised() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nuse_username_as_clientid true")
        let clients = try ["a", "b"].map { id in
            try start([broker.port], hasWill: true) { ($0.clientID, $0.username) = (id, "car") }
        }
        for (_, log) in clients {
            try await eventually("found out: \(log.failures)", within: 120) { log.all.contains(.lacks(.ownID)).orNil }
            try await eventually("said: \(log.failures)", within: 120) {
                log.failures.contains { $0.detail.contains("logs in as car") || $0.detail.contains("logged in as car") }
                    .orNil
            }
        }
        for (client, _) in clients {
            async let first: Void = client.stop()
            async let second: Void = client.stop()
            _ = await (first, second)
        }
    }

    // MARK: - Messages

    /// The broker takes no message at the session's beginning: each topic's newest value comes later, once.
    @Test(arguments: [0x80, 0x83]) func whatWasRefusedForNowComesLater(_ reason: Int) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .refusesMessages(reason: reason, times: 40))
        let (client, log) = try start([line.port], subscriptions: ["state/#"])
        try await eventually("connected") { (log.connections == 1).orNil }
        for number in 1...23 {
            try await eventually("room") { (client.publish(retained("state/\(number)", "old")) == .taken).orNil }
        }
        try await eventually("the first refusals") { (log.refused.count >= 23).orNil }
        #expect(client.publish(retained("state/1", "new")) == .taken)
        try await eventually("all: \(log.payloads)") { (Set(log.messages.map(\.topic)).count == 23).orNil }
        #expect(log.messages.last { $0.topic == "state/1" }?.payload == Array("new".utf8))
        #expect(log.failures.isEmpty)
        await client.stop()
    }

    /// Two values of a topic are under way, and the broker refuses both for now: only the newer one comes again.
    @Test func theNewerOfTwoRefusedValuesComesAgain() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .refusesMessages(reason: 0x83, times: 2))
        let (client, log) = try start([line.port], subscriptions: ["state"])
        try await eventually("connected") { (log.connections == 1).orNil }
        #expect(client.publish([retained("state", "old"), retained("state", "new")]) == [.taken, .taken])
        try await eventually("it comes: \(log.all)") { (log.payloads == ["new"]).orNil }
        try await eventually("both were refused") { (log.refused.count == 2).orNil }
        #expect(client.publish(retained("state", "last")) == .taken)
        try await eventually("nothing between: \(log.payloads)") { (log.payloads == ["new", "last"]).orNil }
        await client.stop()
    }

    /// A broker takes a few messages a second and refuses the others. The session gives them back and sends fewer, so
    /// that hardly any is refused then. The pace holds in the next session.
    @Test(arguments: [0x89, 0x93, 0x96, 0x97, 0x9F]) func aLimitOnMessagesSetsThePace(_ reason: Int) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .takes(messagesPerSecond: 5, reason: reason))
        let (client, log) = try start([line.port], subscriptions: ["state/#"])
        try await eventually("connected") { (log.connections == 1).orNil }
        var waiting = (1...23).map { retained("state/\($0)", "value") }
        /// Publishes what waits and what came back.
        func publish() {
            waiting += log.takeReturned()
            let outcomes = client.publish(waiting)
            waiting = zip(waiting, outcomes).filter { $0.1 == .full }.map(\.0)
        }
        try await eventually("all: \(log.payloads.count) \(log.refused)") {
            publish()
            return (Set(log.messages.map(\.topic)).count == 23).orNil
        }
        let refusals = log.refused.count
        #expect(client.line?.isPaced == true && refusals >= 1, "\(log.all)")
        line.cut()
        try await eventually("connected again") { (log.connections == 2).orNil }
        (waiting, _) = ((1...23).map { retained("state/\($0)", "again") }, log.takeReturned())
        try await eventually("all again: \(log.payloads.count)") {
            publish()
            return (log.payloads.count { $0 == "again" } == 23).orNil
        }
        #expect(log.refused.count - refusals < 5, "\(log.refused.count) refusals, \(refusals) before")
        await client.stop()
    }

    /// A wrong password is put right while the login is refused: the next attempt reads it. While nobody can read it, the
    /// last one is used.
    @Test func aPasswordThatIsPutRightIsUsed() async throws {
        let folder = try temporaryDirectory()
        let users = folder.appendingPathComponent("users").path
        let tool = try Child("mosquitto_passwd", ["-b", "-c", users, "car", "right"])
        #expect(try await tool.exitCode() == 0)
        let broker = try await Broker(listener: "allow_anonymous false\npassword_file \(users)", directory: folder)
        var configuration = MosquittoConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "a", username: "car", password: "wrong")
        configuration.times.refusalPause = .milliseconds(100)
        let present = Mutex<String?>(nil)
        let client = try MosquittoClient(configuration) { present.withLock { $0 } }
        let log = ClientLog(client)
        client.start()
        try await eventually("refused: \(log.all)") { (log.failures.count > 1).orNil }
        #expect(log.failures.allSatisfy { $0.code == .refused } && log.connections == 0, "\(log.all)")
        present.withLock { $0 = "right" }
        try await eventually("connected: \(log.failures.count)") { (log.connections == 1).orNil }
        await client.stop()
    }

    /// A policy ends the session over one small topic: it is found, left out and told. Nobody else is blamed.
    @Test(arguments: [nil, 0x87], MQTTVersion.allCases)
    func theTopicThatEndsTheSessionIsLeftOut(_ reason: Int?, _ version: MQTTVersion) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .forbids(topic: "out/bad", reason: reason))
        let (client, log) = try start([line.port], version, subscriptions: ["out/#"])
        let publishing = Task {
            var seen = 0
            while !Task.isCancelled {
                if log.connections > seen {
                    seen = log.connections
                    for topic in ["out/1", "out/2", "out/bad", "out/3", "out/4"] {
                        _ = client.publish(retained(topic, "\(seen)", key: 1))
                    }
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { publishing.cancel() }
        try await eventually("left out: \(log.all)") { (client.line?.leftOut == ["out/bad"]).orNil }
        let connections = log.connections
        try await eventually("the others arrive: \(log.all)") {
            Set(log.messages.map(\.topic)).isSuperset(of: ["out/1", "out/2", "out/3", "out/4"]).orNil
        }
        #expect(connections <= 6 && line.hangUps <= 5, "\(connections) sessions, \(line.hangUps) hang-ups")
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        try await eventually("told") { log.refused.contains("out/bad").orNil }
        await client.stop()
    }

    /// mosquitto hangs up over a message beyond its limit: the topic is left out, whether the broker names it or not.
    @Test(arguments: ["max_packet_size", "message_size_limit"], MQTTVersion.allCases)
    func aMessageTooLargeForTheBrokerIsLeftOut(_ option: String, _ version: MQTTVersion) async throws {
        let broker = try await Broker(listener: "allow_anonymous true\n\(option) 3000")
        let (client, log) = try start([broker.port], version, subscriptions: ["x"])
        let large = OutgoingMessage(topic: "large", payload: Array(repeating: 65, count: 3500), key: 1)
        let publishing = Task {
            var seen = 0
            while !Task.isCancelled {
                if log.connections > seen {
                    seen = log.connections
                    _ = client.publish(OutgoingMessage(topic: "x", payload: Array("\(seen)".utf8)))
                    // On MQTT 5 the broker may name the limit.
                    _ = client.publish(large)
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { publishing.cancel() }
        if option == "max_packet_size", version == .v5 {
            try await eventually("connected") { (log.connections == 1).orNil }
            #expect(client.publish(large) == .tooLarge(limit: 3000))
        } else {
            try await eventually("left out: \(log.all)") { (client.line?.leftOut == ["large"]).orNil }
            #expect(log.connections <= 6)
        }
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        await client.stop()
    }

    /// The library has ended the program twice: this start speaks MQTT 3.1.1. After one such end it speaks MQTT 5. Only
    /// another end would change the count.
    @Test(arguments: [(1, MQTTVersion.v5), (2, .v311)]) func aStartThatDiedTwiceIsCareful(
        _ deaths: Int, _ version: MQTTVersion
    ) async throws {
        let broker = try await Broker()
        let mark = broker.directory.appendingPathComponent("mark")
        try Data("\(deaths)".utf8).write(to: mark)
        let (client, log) = try start([broker.port]) { $0.markPath = mark.path }
        try await eventually("connected: \(log.all)") { (log.versions == [version]).orNil }
        #expect(try String(contentsOf: mark, encoding: .utf8) == "\(deaths)")
        await client.stop()
    }

    /// A pipe or a folder in the mark's place holds nothing up, and stays as it is.
    @Test(arguments: [S_IFIFO, S_IFDIR]) func whatIsNoMarkIsLeftAlone(_ kind: mode_t) async throws {
        let broker = try await Broker()
        let mark = broker.directory.appendingPathComponent("mark").path
        #expect((kind == S_IFIFO ? mkfifo(mark, 0o600) : mkdir(mark, 0o700)) == 0)
        func type() throws -> FileAttributeType? {
            try FileManager.default.attributesOfItem(atPath: mark)[.type] as? FileAttributeType
        }
        let before = try type()
        let (client, log) = try start([broker.port]) { $0.markPath = mark }
        try await eventually("connected: \(log.all)") { (log.versions == [.v5]).orNil }
        await client.stop()
        #expect(try type() == before && before != .typeRegular)
    }

    /// A refused connection, and a broker that hangs up, leave no mark.
    @Test func aFailedLoginIsNoDeath() async throws {
        let server = try SocketServer()
        let mark = try temporaryDirectory().appendingPathComponent("mark")
        let (client, log) = try start([server.port], .v5) { $0.markPath = mark.path }
        try await server.accept()
        server.write([0x20, 0x03, 0x00, 0x87, 0x00])
        try await eventually("refused") { (log.failures.count == 1).orNil }
        #expect(!FileManager.default.fileExists(atPath: mark.path))
        server.hangUp()
        await client.stop()
    }
}
