/// Whether and how the gateway introduces itself to Home Assistant.
public struct HomeAssistantOptions: Equatable, Sendable {
    public var isEnabled: Bool
    /// Home Assistant's discovery prefix.
    public var prefix: String
    /// The gateway's version, for the device's page.
    public var version: String
    /// The gateway predicts the landing, so announce those entities, too.
    public var hasPrediction: Bool
    /// The gateway may learn the car's position, so announce the car's entities, too.
    public var hasCar: Bool
    /// The gateway may report recoveries, so announce the button, too.
    public var reportsRecovery: Bool
    /// The gateway's page as other machines reach it; nil if they can't.
    public var pageURL: String?

    public init(
        isEnabled: Bool, prefix: String, version: String, hasPrediction: Bool = false, hasCar: Bool = false,
        reportsRecovery: Bool = false, pageURL: String? = nil
    ) {
        self.isEnabled = isEnabled
        self.prefix = prefix
        self.version = version
        self.hasPrediction = hasPrediction
        self.hasCar = hasCar
        self.reportsRecovery = reportsRecovery
        self.pageURL = pageURL
    }

    /// Home Assistant publishes `online` here when it has started.
    public var statusTopic: String { prefix + "/status" }
}
