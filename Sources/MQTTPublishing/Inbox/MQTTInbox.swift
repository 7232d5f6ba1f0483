public import Gateway
import GatewayReports

/// The broker's messages, read: commands, cars and other gateways for the machine, Home Assistant's news for the
/// publisher. It keeps nothing.
///
///     topic                                    delivery
///     command, …/set, request/settings         a command, or one that is refused already
///     bridge/info                              a gateway under this id, unless the broker has kept it
///     where a phone tells its position         where the car is
///     Home Assistant's status and discovery    its start, a device of ours
public struct MQTTInbox: Sendable {
    /// What a message brings.
    public enum Delivery: Equatable, Sendable {
        /// For the machine.
        case event(GatewayEvent)
        /// For ``MQTTPublisher/heard(_:at:)``.
        case homeAssistant(HomeAssistantNews)
    }

    private let topics: Topics
    /// Where a phone tells its position; nil where none does.
    private let ownTracksTopic: String?
    private let discovery: HomeAssistantDiscovery?

    /// - Parameter ownTracksTopic: where a phone tells its position.
    public init(topics: Topics, homeAssistant: HomeAssistantOptions? = nil, ownTracksTopic: String? = nil) {
        self.topics = topics
        self.ownTracksTopic = ownTracksTopic
        discovery = homeAssistant.map { HomeAssistantDiscovery(options: $0, topics: topics) }
    }

    /// - Parameter version: the session's.
    /// - Returns: nil when the message brings nothing.
    public func delivery(of message: IncomingMessage, on version: MQTTVersion) -> Delivery? {
        if let discovery, discovery.topicsOfOthers.contains(message.topic) {
            return discovery.news(in: message).map(Delivery.homeAssistant)
        }
        return event(in: message, on: version).map(Delivery.event)
    }

    private func event(in message: IncomingMessage, on version: MQTTVersion) -> GatewayEvent? {
        if message.topic == ownTracksTopic {
            return OwnTracksFormat.decode(
                message.payload, isRetained: message.isRetained || message.mayBeRetained
            ).map(GatewayEvent.carFix)
        }
        if message.topic == topics[.info] {
            // What the broker has kept may be of a box that is long gone.
            guard !message.isRetained, !message.mayBeRetained else { return nil }
            return BridgeInfoFormat.machine(in: message.payload).map(GatewayEvent.bridgeInfoHeard)
        }
        return command(in: message, on: version).map(GatewayEvent.command)
    }

    private func command(in message: IncomingMessage, on version: MQTTVersion) -> IncomingCommand? {
        guard let door = topics.door(of: message.topic) else { return nil }
        // Somebody clears the topic; MQTT 3.1.1 doesn't tell that from an empty message.
        if message.payload.isEmpty, message.isRetained || version == .v311 && door != .requestSettings { return nil }
        var command = IncomingCommand(
            body: message.payload, door: door,
            reply: .mqtt(topic: message.responseTopic, correlationData: message.correlationData))
        if let topic = message.responseTopic,
            !topics.mayAnswer(
                on: topic, discoveryPrefix: discovery?.options.prefix ?? "homeassistant", phone: ownTracksTopic)
        {
            command.reply = .mqtt(topic: nil, correlationData: message.correlationData)
            let place = topic.isEmpty ? "an empty topic" : CommandDecoder.shortened(topic)
            command.refusal = CommandRefusal(
                .responseTopic,
                "answers can't go to \(place); use a response topic outside "
                    + "\(topics.base)/, Home Assistant's and OwnTracks', or one below \(topics[.answer])")
        }
        if message.mayBeRetained, !message.isRetained {
            command.refusal = CommandRefusal(
                .retained,
                "MQTT 3.1.1 doesn't show whether a message is an old retained one; commands are taken from one second "
                    + "after the connection on")
        }
        if message.isRetained {
            command.refusal = CommandRefusal(
                .retained, "a retained command is never executed; publish it without retain")
        }
        return command
    }
}
