public import Gateway

/// Finds the messages that a gateway has left on the broker, so that they can be removed for good: its retained topics,
/// Home Assistant's device, and the friends in OwnTracks.
public struct RetainedMessages: Sendable {
    private let topics: Topics
    private let discovery: HomeAssistantDiscovery
    private let friends: [String]

    public init(topics: Topics, homeAssistant: HomeAssistantOptions, ownTracks: OwnTracksOptions) {
        self.topics = topics
        discovery = HomeAssistantDiscovery(options: homeAssistant, topics: topics)
        friends = ["", "-landing"].map { "owntracks/\(ownTracks.user)/\(ownTracks.device)\($0)" }
            .flatMap { [$0, $0 + "/info"] }
    }

    public var subscriptions: [String] { [topics.prefix + "/#", discovery.topic, discovery.oldTopic] + friends }

    /// A message of our own. The broker delivers it after all retained ones.
    public var marker: OutgoingMessage {
        OutgoingMessage(topic: topics.prefix + "/doctor", payload: Array("{}".utf8))
    }

    public func isMarker(_ message: IncomingMessage) -> Bool { message.topic == marker.topic && !message.isRetained }

    /// Whether the gateway is running: it would publish everything anew.
    public func isOnline(_ message: IncomingMessage) -> Bool {
        message.topic == topics.bridgeState && message.payload.elementsEqual("online".utf8)
    }

    /// Whether this gateway left the message.
    public func isLeft(_ message: IncomingMessage) -> Bool {
        guard message.isRetained, !message.payload.isEmpty else { return false }
        if [discovery.topic, discovery.oldTopic].contains(message.topic) { return discovery.isOurs(message) }
        return true
    }

    /// Removes the retained message of a topic.
    public func removal(of topic: String, key: UInt64) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: [], isRetained: true, key: key)
    }
}
