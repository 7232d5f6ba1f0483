/// Whether and how the gateway introduces itself to Home Assistant.
public struct HomeAssistantOptions: Equatable, Sendable {
    public var isEnabled: Bool
    /// Home Assistant's discovery prefix.
    public var prefix: String
    /// The gateway's own, for the device page.
    public var version: String
    /// The gateway predicts the landing: its entities are announced, too.
    public var hasPrediction: Bool
    /// The gateway knows where the car is: its entities are announced, too.
    public var hasCar: Bool
    /// The gateway's page, as other machines reach it; nil if they can't.
    public var pageURL: String?

    public init(
        isEnabled: Bool, prefix: String, version: String, hasPrediction: Bool = false, hasCar: Bool = false,
        pageURL: String? = nil
    ) {
        self.isEnabled = isEnabled
        self.prefix = prefix
        self.version = version
        self.hasPrediction = hasPrediction
        self.hasCar = hasCar
        self.pageURL = pageURL
    }

    /// Home Assistant says `online` there when it has started.
    public var statusTopic: String { prefix + "/status" }

    /// What the gateway subscribes to: Home Assistant's start, and what is to be taken back if it is there. An empty
    /// message for a device that Home Assistant doesn't know would be a warning in its log.
    public func subscriptions(of topics: Topics) -> [String] {
        let discovery = HomeAssistantDiscovery(options: self, topics: topics)
        return [isEnabled ? statusTopic : discovery.topic, discovery.oldTopic]
    }
}
