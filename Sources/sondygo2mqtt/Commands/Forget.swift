import ArgumentParser
import Gateway
import GatewayRuntime
import MQTTPublishing
import MosquittoClient

struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove from the broker all that a stopped gateway has left there.",
        discussion: """
            Removes the retained topics of gateway.id, its device in Home Assistant and its friends in OwnTracks. \
            Run it before the package is purged, or after gateway.id was changed, with the old --id.
            Exits with 0 when everything is removed, 1 when the gateway is running or the broker refuses, 69 when no \
            broker answers.
            """)

    @OptionGroup var shared: SharedOptions

    /// How long the broker has for its answers.
    private static let limit = Duration.seconds(15)

    func run() async throws {
        let configuration = shared.load(shared.loader())
        do {
            for topic in try await forget(configuration) { writeLine("removed \(topic)") }
        } catch let failure as CommandFailure {
            failure.exit()
        }
    }

    /// - Returns: the topics that were removed.
    private func forget(_ configuration: Configuration) async throws -> [String] {
        let exchange = try BrokerExchange(configuration)
        let left = RetainedMessages(
            topics: exchange.topics, homeAssistant: configuration.homeAssistantOptions,
            ownTracks: OwnTracksOptions(user: configuration.feeds.ownTracks.user, device: configuration.gateway.id))
        var removal = Removal(left)
        let outcome = try await exchange.run(
            BrokerExchange.newTag("forget"), subscribedTo: left.subscriptions, within: Self.limit
        ) { event, client in
            for message in removal.messages(after: event) where client.publish(message) != .taken {
                removal.outcome = .failure(CommandFailure(.unavailable, "the broker takes no message"))
            }
            return removal.outcome
        }
        guard let outcome else {
            throw CommandFailure(.unavailable, "the broker did not answer within 15 seconds")
        }
        return try outcome.get()
    }
}

/// The retained topics that were found, and the number of those whose removal was sent. Removals go out one by one, so
/// that the client refuses none.
private struct Removal {
    private let left: RetainedMessages
    private var topics: [String] = []
    private var count = 0
    var outcome: Result<[String], CommandFailure>?

    init(_ left: RetainedMessages) { self.left = left }

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
        case .connectFailed(let failure): fail(.unavailable, "no connection to the broker: \(failure)")
        case .disconnected(let failure): fail(.unavailable, "connection to the broker lost: \(failure)")
        case .refused(let refusal):
            fail(.refused, "the broker takes no message on \(refusal.topic): \(refusal.reason)")
        case .subscriptionRefused(let topic, let reason):
            fail(.refused, "the broker refuses a subscription to \(topic): \(reason)")
        case .downgraded, .drained, .oversized, .subscriptionAccepted: break  // They change nothing.
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
