import Gateway
import GatewayRuntime
import MQTTPublishing
import MosquittoClient

/// One short session with the configured broker, for a command that asks and waits for the answer.
struct BrokerExchange {
    let configuration: Configuration
    /// The gateway's topics.
    let topics: Topics

    /// - Throws: `CommandFailure` if the configured names make no valid topic.
    init(_ configuration: Configuration) throws(CommandFailure) {
        guard let topics = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id) else {
            throw CommandFailure(
                .configuration, "gateway.id and mqtt.base_topic don't make a valid topic; shorten them")
        }
        self.configuration = configuration
        self.topics = topics
    }

    /// A name that no other session has.
    static func newTag(_ command: String) -> String {
        command + "-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// - Parameters:
    ///   - tag: from `newTag`; a part of the client id.
    ///   - limit: after which the session ends.
    ///   - decide: gets each event of the broker, and the client to answer with. It returns the outcome, or nil to
    ///     wait for the next event.
    /// - Returns: the outcome; nil when the time is up.
    func run<Outcome>(
        _ tag: String, subscribedTo subscriptions: [String], within limit: Duration,
        decide: (BrokerEvent, MosquittoClient) -> Outcome?
    ) async throws(CommandFailure) -> Outcome? {
        var session = MosquittoConfiguration(configuration, clientID: "sondygo2mqtt-\(tag)", topics: nil)
        session.subscriptions = subscriptions
        let client: MosquittoClient
        do throws(BrokerFailure) {
            client = try MosquittoClient(session)
        } catch {
            throw CommandFailure(.configuration, "mqtt: \(error)")
        }
        var outcome: Outcome?
        await client.serve(within: limit) { event in
            guard outcome == nil else { return }
            outcome = decide(event, client)
            if outcome != nil { await client.stop() }
        }
        return outcome
    }

    /// Whether the broker ends a session when somebody else logs in as the same user.
    func sharesUser(_ tag: String) async -> Bool {
        guard configuration.mqtt.username != nil else { return false }
        let session = MosquittoConfiguration(configuration, clientID: "sondygo2mqtt-\(tag)", topics: nil)
        return await SharedUserTrial(session, within: Self.userLimit).isShared()
    }

    private static let userLimit = Duration.seconds(20)
}

extension MosquittoClient {
    /// Runs a session, which ends when `body` stops the client, or when the time is up.
    func serve(within limit: Duration, _ body: (BrokerEvent) async -> Void) async {
        start()
        let deadline = Task {
            try await Task.sleep(for: limit)
            await stop()
        }
        defer { deadline.cancel() }
        await receive(body)
    }
}
