import Gateway

/// What the broker's messages tell of Home Assistant.
public enum HomeAssistantNews: Equatable, Sendable {
    /// It has started: it knows no devices yet.
    case started
    /// A device of ours is announced.
    case device
    /// A device of ours is announced as earlier versions did.
    case oldDevice
}

extension HomeAssistantDiscovery {
    /// Where ``news(in:)`` comes from.
    var topicsOfOthers: [String] { [oldTopic, topic, options.statusTopic] }

    func news(in message: IncomingMessage) -> HomeAssistantNews? {
        switch message.topic {
        case oldTopic: isOurs(message) ? .oldDevice : nil
        case topic: isOurs(message) ? .device : nil
        default: options.isEnabled && message.payload.elementsEqual("online".utf8) ? .started : nil
        }
    }
}
