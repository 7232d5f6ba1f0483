import Gateway
import GatewayReports
import MQTTPublishing
import MosquittoClient

/// A command to a gateway through its broker, with the answers.
struct SentCommand {
    /// A final answer.
    struct Answer {
        var isCarriedOut: Bool
        var applied: [String: JSONValue]
        /// Why it was refused; nil if it was not.
        var refusal: String?
    }

    private let body: String
    private let configuration: Configuration
    private let limit: Duration

    init(_ body: String, to configuration: Configuration, within limit: Duration) {
        (self.body, self.configuration, self.limit) = (body, configuration, limit)
    }

    /// - Parameter show: gets each answer to this command.
    func run(show: ([UInt8]) -> Void) async throws(CommandFailure) -> Answer {
        let exchange = try BrokerExchange(configuration)
        let topics = exchange.topics
        let tag = BrokerExchange.newTag("send")
        guard let command = IdentifiedCommand(body, defaultID: tag) else {
            throw CommandFailure(
                .refused,
                "give one JSON object of at most \(CommandDecoder.maximumLength) bytes, for example {\"mute\":true}; "
                    + "an id is a text or a number")
        }
        var isCut = false
        let outcome = try await exchange.run(
            tag, subscribedTo: [topics[.answer]], within: limit
        ) { event, client in
            if case .disconnected = event { isCut = true }
            if case .connected = event {
                _ = client.publish(OutgoingMessage(topic: topics.command, payload: Array(command.text.utf8)))
            }
            return verdict(on: event, command.id, show)
        }
        if isCut, await exchange.sharesUser(tag) {
            throw CommandFailure(
                .unavailable,
                "the broker at \(configuration.mqtt.place) \(BrokerFeature.ownID.lack.what): "
                    + BrokerFeature.ownID.lack.cost)
        }
        guard let outcome else {
            throw CommandFailure(
                .unavailable,
                "no final answer within \(limit.seconds) seconds; is a gateway with the topics \(topics.prefix) running?"
            )
        }
        return try outcome.get()
    }

    /// Shows an answer to this command.
    /// - Returns: nil until the final answer.
    private func verdict(
        on event: BrokerEvent, _ id: JSONValue, _ show: ([UInt8]) -> Void
    ) -> Result<Answer, CommandFailure>? {
        switch event {
        case .connectFailed(let failure), .disconnected(let failure):
            return .failure(CommandFailure(.unavailable, configuration.mqtt.complaint(about: failure)))
        case .refused(let refusal):
            return .failure(CommandFailure(.refused, "the broker does not take the command: \(refusal.reason)"))
        case .subscriptionRefused(_, let reason):
            return .failure(CommandFailure(.refused, "the broker lets this login hear no answer: \(reason)"))
        case .message(let message):
            guard case .object(let answer)? = JSONValue(json: message.payload), answer["id"] == id else { return nil }
            show(message.payload)
            return answer["final"] == .bool(true) ? .success(Answer(answer)) : nil
        // These say nothing about the one message; its answer does.
        case .connected, .lacks, .downgraded, .drained, .returned, .acknowledged, .oversized, .subscriptionAccepted:
            return nil
        }
    }
}

extension SentCommand.Answer {
    fileprivate init(_ members: [String: JSONValue]) {
        isCarriedOut = ["confirmed", "written", "done"].contains(members["status"])
        applied = if case .object(let values)? = members["applied"] { values } else { [:] }
        refusal = nil
        if case .object(let error)? = members["error"], case .string(let message)? = error["message"] {
            refusal = message
        }
    }
}

extension Duration {
    /// For people, without a unit.
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
