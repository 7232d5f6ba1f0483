import ArgumentParser
import Gateway
import GatewayReports
import MQTTPublishing
import MosquittoClient

struct Sondes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the sondes around, the nearest first.",
        discussion: """
            Prints what the running gateway last published. The hunted sonde has a "*". Times are UTC, altitudes metres \
            above sea level. Hunt one:  sondygo2mqtt send '{"hunt":"V4210150"}'
            """)

    /// The time for the broker to connect and to send the retained report.
    private static let limit = Duration.seconds(10)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let configuration = AskedGateway.configuration(shared)
        do {
            let report = try await report(configuration)
            guard let lines = SondeTable.lines(of: report) else {
                throw CommandFailure(.unavailable, "the topic sondes holds something else; does an old gateway run?")
            }
            for line in lines { writeLine(line) }
        } catch let failure as CommandFailure {
            failure.exit()
        }
    }

    /// The retained report's payload.
    private func report(_ configuration: Configuration) async throws -> [UInt8] {
        let exchange = try BrokerExchange(configuration)
        let topics = exchange.topics
        let outcome = try await exchange.run(
            BrokerExchange.newTag("sondes"), subscribedTo: [topics[.sondes]], within: Self.limit
        ) { event, _ in Self.outcome(of: event, configuration.mqtt) }
        guard let outcome else {
            throw CommandFailure(
                .unavailable, "no gateway with the topics \(topics.prefix) has published its sondes; is it running?")
        }
        return try outcome.get()
    }

    private static func outcome(
        of event: BrokerEvent, _ mqtt: Configuration.MQTT
    ) -> Result<[UInt8], CommandFailure>? {
        switch event {
        case .message(let message): .success(message.payload)
        case .connectFailed(let failure), .disconnected(let failure):
            .failure(CommandFailure(.unavailable, mqtt.complaint(about: failure)))
        case .subscriptionRefused(let topic, let reason):
            .failure(CommandFailure(.refused, "the broker refuses a subscription to \(topic): \(reason)"))
        case .connected, .refused, .acknowledged, .lacks, .downgraded, .drained, .returned, .oversized,
            .subscriptionAccepted:
            nil
        }
    }
}
