import Gateway

/// News about Home Assistant, learned from messages of the broker.
public enum HomeAssistantNews: Equatable, Sendable {
    /// Home Assistant has started and knows no devices yet.
    case started
    /// The broker holds an announcement of this gateway's device.
    case device
    /// The broker holds an earlier version's announcement of this gateway's device.
    case oldDevice
}

extension HomeAssistantDiscovery {
    /// The topics that ``news(in:)`` reads.
    var topicsOfOthers: [String] { [oldTopic, topic, options.statusTopic] }

    func news(in message: IncomingMessage) -> HomeAssistantNews? {
        switch message.topic {
        case oldTopic: isOurs(message) ? .oldDevice : nil
        case topic: isOurs(message) ? .device : nil
        default: options.isEnabled && message.payload.elementsEqual("online".utf8) ? .started : nil
        }
    }
}
