import Gateway
import GatewayRuntime
import MQTTPublishing
import MosquittoClient

/// Removes from the broker all that a stopped gateway has left there.
struct BrokerCleanup {
    private let configuration: Configuration

    /// How long the broker has for its answers.
    private static let limit = Duration.seconds(15)

    /// - Parameter configuration: the gateway's, with its broker and its name.
    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// - Returns: the topics that were removed.
    func run() async throws(CommandFailure) -> [String] {
        let exchange = try BrokerExchange(configuration)
        let left = RetainedMessages(
            topics: exchange.topics, homeAssistant: configuration.homeAssistantOptions,
            ownTracks: OwnTracksOptions(user: configuration.feeds.ownTracks.user, device: configuration.gateway.id))
        var removal = Removal(left, configuration.mqtt)
        let outcome = try await exchange.run(
            BrokerExchange.newTag("forget"), subscribedTo: left.subscriptions, within: Self.limit
        ) { event, client in
            for message in removal.messages(after: event) where client.publish(message) != .taken {
                removal.outcome = .failure(CommandFailure(.unavailable, "the broker takes no message"))
            }
            return removal.outcome
        }
        guard let outcome else {
            throw CommandFailure(
                .unavailable, "the broker at \(configuration.mqtt.place) did not answer within 15 seconds")
        }
        return try outcome.get()
    }
}

/// The retained topics that were found, and the number of those whose removal was sent. Removals go out one by one, so
/// that the client refuses none.
private struct Removal {
    private let left: RetainedMessages
    private let mqtt: Configuration.MQTT
    private var topics: [String] = []
    private var count = 0
    var outcome: Result<[String], CommandFailure>?

    init(_ left: RetainedMessages, _ mqtt: Configuration.MQTT) { (self.left, self.mqtt) = (left, mqtt) }

    /// - Returns: the messages to send now.
    mutating func messages(after event: BrokerEvent) -> [OutgoingMessage] {
        switch event {
        case .connected: return [left.marker]
        case .message(let message):
            if left.isOnline(message) {
                fail(.refused, "the gateway is running; stop it first: it would publish everything anew")
            } else if left.isLeft(message) {
                topics.append(message.topic)
            } else if left.isMarker(message), count == 0 {
                return next()
            }
        case .acknowledged: return count > 0 ? next() : []
        case .connectFailed(let failure), .disconnected(let failure):
            fail(.unavailable, mqtt.complaint(about: failure))
        case .refused(let refusal):
            fail(.refused, "the broker takes no message on \(refusal.topic): \(refusal.reason)")
        case .subscriptionRefused(let topic, let reason):
            fail(.refused, "the broker refuses a subscription to \(topic): \(reason)")
        case .lacks, .downgraded, .drained, .returned, .oversized, .subscriptionAccepted: break  // They change nothing.
        }
        return []
    }

    private mutating func next() -> [OutgoingMessage] {
        guard count < topics.count else {
            outcome = .success(topics)
            return []
        }
        count += 1
        return [left.removal(of: topics[count - 1], key: UInt64(count))]
    }

    private mutating func fail(_ kind: CommandFailure.Kind, _ text: String) {
        outcome = .failure(CommandFailure(kind, text))
    }
}
