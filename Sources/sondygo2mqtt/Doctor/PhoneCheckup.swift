import FlightMath
import Gateway
import MQTTPublishing

/// Looks for the position of the phone in the car on the broker. The app retains its last one.
struct PhoneCheckup {
    let configuration: Configuration

    private static let limit = Duration.seconds(2)
    /// The most topics that a line names.
    private static let mostNamed = 3

    /// Nil if no phone is configured.
    var finding: Finding? {
        get async {
            guard let topic = configuration.car.ownTracks, configuration.car.sources.contains(.owntracks) else {
                return nil
            }
            var heard: [String: Bool] = [:]
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
            let others = levels.count > 1 ? ["\(levels[0])/#"] : []
            do throws(CommandFailure) {
                let exchange = try BrokerExchange(configuration)
                let _: Bool? = try await exchange.run(
                    BrokerExchange.newTag("phone"), subscribedTo: [topic] + others, within: Self.limit
                ) { event, _ in
                    if case .message(let message) = event, let isPlace = Self.isPlace(message) {
                        heard[message.topic] = isPlace
                    }
                    return nil
                }
            } catch {
                return nil  // The broker's own line says why.
            }
            return Self.finding(topic, heard)
        }
    }

    /// Nil for a message of another kind; false for one that the gateway can't use.
    private static func isPlace(_ message: IncomingMessage) -> Bool? {
        switch OwnTracksFormat.decode(message.payload, isRetained: message.isRetained) {
        case .success(let fix): fix == nil ? nil : true
        case .failure: false
        }
    }

    /// - Parameter heard: the topics with a message of a phone, and whether it can be used.
    static func finding(_ topic: String, _ heard: [String: Bool]) -> Finding {
        switch heard[topic] {
        case true?: return Finding.ok("phone", "\(topic) has the phone's position")
        case false?:
            return Finding.note(
                "phone", "\(topic) has no place that can be read; switch the payload encryption off in the app")
        case nil: break
        }
        let others = heard.filter(\.value).keys.sorted().prefix(mostNamed)
        guard !others.isEmpty else {
            return Finding.note("phone", "nothing is on \(topic); does the app publish there, on this broker?")
        }
        return Finding.note(
            "phone", "nothing is on \(topic), but phones are on \(others.joined(separator: ", ")); see car.owntracks")
    }
}
