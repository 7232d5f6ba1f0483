import Foundation
import TestSupport
import Testing

/// The whole program on a line that carries fewer bytes than it publishes.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ThinLineTests {
    /// Bytes a second. `LINE_RATES=300,600,1200,3000,8000` measures others; then each has two minutes.
    private static let rates = (ProcessInfo.processInfo.environment["LINE_RATES"] ?? "1200").split(separator: ",")
        .compactMap { Int($0) }
    private static let seconds = ProcessInfo.processInfo.environment["LINE_RATES"] == nil ? 40.0 : 120

    /// Live positions stay new; those that a newer one replaced come on `history` when the line has room. `health`
    /// says that the line is thin.
    @Test(arguments: rates) func aThinLineCarriesNewPositions(_ rate: Int) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .carries(bytesPerSecond: rate))
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(line.port)", "--transport", "simulator"],
            environment: ["SONDYGO_HOMEASSISTANT_ENABLED": "true"])
        let topic = "sondygo/test/position"
        try await subscriber.first(on: topic)
        // The ages of this time are measured.
        try await Task.sleep(for: .seconds(Self.seconds))
        let ages = subscriber.messages(on: topic).compactMap(Self.age)
        let sorted = ages.sorted()
        let worst = try #require(sorted.last)
        let median = sorted[sorted.count / 2]
        print("line of \(rate) B/s: \(ages.count) live positions, age median \(median) s, worst \(worst) s")
        #expect(ages.count > 3 && worst < 20, "\(ages) \(gateway.text)")
        if rate <= 1200 {
            let isThin = subscriber.messages(on: "sondygo/test/health").contains {
                ($0.json["broker"] as? [String: Any])?["line"] as? String == "thin"
            }
            // Health comes every 30 s, if the line has room for it.
            #expect(isThin || subscriber.messages(on: "sondygo/test/health").count < 2, "\(gateway.text)")
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// A broker that takes so many messages a second, and refuses the others: live positions stay new, each event comes
    /// while it is news, the states come, and the log tells the cause once.
    /// `MESSAGE_SECONDS` measures for longer.
    @Test(arguments: [1, 2, 5], [0x97, 0x9F])
    func aLimitOnMessagesCarriesWhatMatters(_ limit: Int, _ reason: Int) async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .takes(messagesPerSecond: limit, reason: reason))
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(line.port)", "--transport", "simulator"],
            environment: ["SONDYGO_HOMEASSISTANT_ENABLED": "true"])
        try await subscriber.first(on: "sondygo/test/position")
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        try await subscriber.first(on: "sondygo/test/receiver/state") { $0.payload == "online" }
        try await subscriber.first(on: "sondygo/test/state") { $0.json["source"] as? String == "ble" }
        // Measures how old positions are over this time.
        try await Task.sleep(for: .seconds(Self.messageSeconds))
        let ages = subscriber.messages(on: "sondygo/test/position").compactMap(Self.age).sorted()
        let topics = Dictionary(grouping: subscriber.messages, by: \.topic).mapValues(\.count)
        print(
            "\(limit) messages/s, \(reason): \(ages.count) positions, age \(ages[ages.count / 2]), worst \(ages.last ?? 0)"
        )
        print(topics.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect(try #require(ages.last) <= 5, "\(ages) \(gateway.text)")
        let isLate = subscriber.messages(on: "sondygo/test/history/event").isEmpty
        #expect(isLate && !subscriber.messages(on: "sondygo/test/event").isEmpty, "\(topics) \(gateway.text)")
        let told = gateway.lines.filter { $0.contains("limits the number of messages") }
        #expect(
            !told.isEmpty && told.count <= 2 && !gateway.text.contains("does not take a message"), "\(gateway.text)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    private static let messageSeconds =
        ProcessInfo.processInfo.environment["MESSAGE_SECONDS"].flatMap { Double($0) } ?? 20

    /// Seconds from the position's arrival at the gateway to its arrival here.
    private static func age(_ message: Subscriber.Message) -> Double? {
        guard let text = message.json["received_at"] as? String, let arrivedAt = message.arrivedAt,
            let date = try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        else { return nil }
        return ((arrivedAt - date.timeIntervalSince1970) * 10).rounded() / 10
    }
}
