import ArgumentParser
import FoundationEssentials
import Gateway
import GatewayReports
import GatewayRuntime
import MQTTPublishing
import MosquittoClient

struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a command through the broker and print the answers.",
        discussion: """
            For example:  sondygo2mqtt send '{"frequency":404.2,"type":"RS41"}'
            Exits with 0 when the command was carried out, 1 when it was refused or timed out, 69 when no gateway \
            answers.
            """)

    @Argument(help: "The command, a JSON object.")
    var command: String

    @Option(help: "Seconds to wait for the final answer, 0.1 to 3600.")
    var timeout = 15.0

    @OptionGroup var shared: SharedOptions

    private static let timeouts = 0.1...3600

    func validate() throws {
        // NaN is outside the range, too.
        guard Self.timeouts.contains(timeout) else {
            throw ValidationError("--timeout \(timeout): give 0.1 to 3600 seconds")
        }
    }

    func run() async throws {
        let configuration = shared.load(shared.loader())
        do {
            guard try await exchange(configuration) else { throw ExitCode(CommandFailure.Kind.refused.rawValue) }
        } catch let failure as CommandFailure {
            failure.exit()
        }
    }

    /// - Returns: whether the gateway accepted the command.
    private func exchange(_ configuration: Configuration) async throws -> Bool {
        let exchange = try BrokerExchange(configuration)
        let topics = exchange.topics
        let tag = BrokerExchange.newTag("send")
        guard let command = IdentifiedCommand(command, defaultID: tag) else {
            throw CommandFailure(
                .refused,
                "give one JSON object of at most \(CommandDecoder.maximumLength) bytes, for example {\"mute\":true}; "
                    + "an id is a text or a number")
        }
        let outcome = try await exchange.run(
            tag, subscribedTo: [topics[.answer]], within: .seconds(timeout)
        ) { event, client in
            if case .connected = event {
                _ = client.publish(OutgoingMessage(topic: topics.command, payload: Array(command.text.utf8)))
            }
            return verdict(on: event, command.id)
        }
        guard let outcome else {
            throw CommandFailure(
                .unavailable,
                "no final answer within \(timeout) seconds; is a gateway with the topics \(topics.prefix) running?")
        }
        return try outcome.get()
    }

    /// Prints an answer to this command.
    /// - Returns: nil until the final answer.
    private func verdict(on event: BrokerEvent, _ id: JSONValue) -> Result<Bool, CommandFailure>? {
        switch event {
        case .connectFailed(let failure):
            return .failure(CommandFailure(.unavailable, "no connection to the broker: \(failure)"))
        case .disconnected(let failure):
            return .failure(CommandFailure(.unavailable, "connection to the broker lost: \(failure)"))
        case .refused(let refusal):
            return .failure(CommandFailure(.refused, "the broker does not take the command: \(refusal.reason)"))
        case .subscriptionRefused(_, let reason):
            return .failure(CommandFailure(.refused, "the broker lets this login hear no answer: \(reason)"))
        case .message(let message):
            guard case .object(let answer)? = JSONValue(json: message.payload), answer["id"] == id else { return nil }
            writeLine(String(decoding: message.payload, as: UTF8.self).plainLine(limit: 100_000))
            guard answer["final"] == .bool(true) else { return nil }
            return .success(["confirmed", "written", "done"].contains(answer["status"]))
        // These say nothing about the one message; its answer does.
        case .connected, .downgraded, .drained, .acknowledged, .oversized, .subscriptionAccepted: return nil
        }
    }
}
