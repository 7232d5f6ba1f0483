import ArgumentParser
import FoundationEssentials
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

    private struct Answer: Decodable {
        var id: String?
        var status: String
        var final: Bool
    }

    private static let timeouts = 0.1...3600

    func validate() throws {
        // Not a number, too, is outside.
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

    /// Returns whether the final answer was a yes.
    private func exchange(_ configuration: Configuration) async throws -> Bool {
        guard let topics = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id) else {
            throw CommandFailure(
                .configuration, "gateway.id and mqtt.base_topic don't make a valid topic; shorten them")
        }
        let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let isV5 = configuration.mqtt.protocolVersion == .v5
        let answerTopic = isV5 ? "\(topics[.answer])/\(tag)" : topics[.answer]
        var session = MosquittoConfiguration(configuration, clientID: "sondygo2mqtt-send-\(tag)", topics: nil)
        session.subscriptions = [answerTopic]
        let client: MosquittoClient
        do throws(MosquittoFailure) {
            client = try MosquittoClient(session)
        } catch {
            throw CommandFailure(.configuration, "mqtt: \(error)")
        }
        let message = MosquittoMessage(
            topic: topics.command, payload: Array(command.utf8), responseTopic: isV5 ? answerTopic : nil)
        client.start()
        let deadline = Task {
            try await Task.sleep(for: .seconds(timeout))
            await client.stop()
        }
        defer { deadline.cancel() }
        let outcome = try await follow(client, message, isOnlyAnswer: isV5)
        await client.stop()
        guard let outcome else {
            throw CommandFailure(
                .unavailable,
                "no final answer within \(timeout) seconds; is a gateway with the topics \(topics.prefix) running?")
        }
        return outcome
    }

    /// Prints answers until the final one; nil when the client was stopped before.
    private func follow(
        _ client: MosquittoClient, _ message: MosquittoMessage, isOnlyAnswer: Bool
    ) async throws -> Bool? {
        for await event in client.events {
            switch event {
            case .connected: _ = client.publish(message)
            case .connectFailed(let failure):
                await client.stop()
                throw CommandFailure(.unavailable, "no connection to the broker: \(failure)")
            case .disconnected(let failure):
                throw CommandFailure(.unavailable, "connection to the broker lost: \(failure)")
            case .refused(_, _, let reason):
                throw CommandFailure(.refused, "the broker does not take the command: \(reason)")
            case .subscriptionRefused(_, let reason):
                throw CommandFailure(.refused, "the broker lets this login hear no answer: \(reason)")
            case .drained, .acknowledged: break  // One message never fills the queue; its answer says more.
            case .message(let message):
                client.messageTaken()
                writeLine(String(decoding: message.payload, as: UTF8.self).plainLine(limit: 100_000))
                guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(message.payload)), answer.final
                else { continue }
                return ["confirmed", "written", "done"].contains(answer.status)
            }
        }
        return nil
    }
}
