import FlightMath
public import Gateway
import GatewayReports

/// Reads the broker's messages. Commands, car positions and other gateways are events for the machine; news of Home
/// Assistant goes to the publisher. The inbox keeps no state.
///
///     topic                                    delivery
///     command, …/set, request/settings         a command, perhaps already with its refusal
///     bridge/info                              a gateway with the same id, unless the message is retained
///     bridge/state                             somebody says that this gateway is offline
///     a phone's position                       the car's position
///     Home Assistant's status and discovery    its start, or a device of this gateway
public struct MQTTInbox: Sendable {
    /// The result of reading a message.
    public enum Delivery: Equatable, Sendable {
        /// For the machine.
        case event(GatewayEvent)
        /// For ``MQTTPublisher/heard(_:at:)``.
        case homeAssistant(HomeAssistantNews)
        /// For ``MQTTPublisher/heardOffline(at:)``.
        case offline
    }

    private let topics: Topics
    /// The topic of the phone in the car; nil if none is configured.
    private let ownTracksTopic: String?
    private let discovery: HomeAssistantDiscovery?

    /// - Parameter ownTracksTopic: the topic on which the phone in the car publishes its position.
    public init(topics: Topics, homeAssistant: HomeAssistantOptions? = nil, ownTracksTopic: String? = nil) {
        self.topics = topics
        self.ownTracksTopic = ownTracksTopic
        discovery = homeAssistant.map { HomeAssistantDiscovery(options: $0, topics: topics) }
    }

    /// - Parameter version: the session's MQTT version.
    /// - Returns: nil if the gateway ignores the message.
    public func delivery(of message: IncomingMessage, on version: MQTTVersion) -> Delivery? {
        if let discovery, discovery.topicsOfOthers.contains(message.topic) {
            return discovery.news(in: message).map(Delivery.homeAssistant)
        }
        if message.topic == topics.bridgeState { return message.payload.elementsEqual("offline".utf8) ? .offline : nil }
        return event(in: message, on: version).map(Delivery.event)
    }

    private func event(in message: IncomingMessage, on version: MQTTVersion) -> GatewayEvent? {
        if message.topic == ownTracksTopic {
            switch OwnTracksFormat.decode(
                message.payload, isRetained: message.isRetained || message.mayBeRetained)
            {
            case .success(let fix): return fix.map(GatewayEvent.carFix)
            case .failure(let refusal): return .carFixRefused(refusal.reason, from: .owntracks)
            }
        }
        if message.topic == topics[.info] {
            // A retained message may come from a gateway that no longer exists.
            guard !message.isRetained, !message.mayBeRetained else { return nil }
            return BridgeInfoFormat.machine(in: message.payload).map(GatewayEvent.bridgeInfoHeard)
        }
        return command(in: message, on: version).map(GatewayEvent.command)
    }

    private func command(in message: IncomingMessage, on version: MQTTVersion) -> IncomingCommand? {
        guard let door = topics.door(of: message.topic) else { return nil }
        // A client clears the retained message. On MQTT 3.1.1 this looks like an ordinary empty message.
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
