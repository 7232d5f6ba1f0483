/// The gateway's version and configuration, without secrets.
public struct InfoReport: Equatable, Sendable {
    /// One line of the configuration: `mqtt.host`, `localhost`.
    public struct Setting: Equatable, Sendable {
        public var key: String
        public var value: JSONValue

        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The version of the payloads. An incompatible change increments it.
    static let schemaVersion = 1

    public var version: String
    public var id: String
    /// A hash of the machine's id. It shows if two machines use one gateway id by mistake.
    public var machine: String
    /// The range that a command may tune to, MHz.
    public var frequencyRange: ClosedRange<Double>
    /// The enabled feeds to other programs, by their names in the configuration.
    public var feeds: [String]
    /// The language of events, Home Assistant's names and speech.
    public var language = Language.english
    /// The units of events, speech and the page.
    public var units = Units.metric
    /// In the configuration's order.
    public var settings: [Setting]

    public init(
        version: String, id: String, machine: String, frequencyRange: ClosedRange<Double> = 400...406,
        feeds: [String] = [], settings: [Setting] = []
    ) {
        self.version = version
        self.id = id
        self.machine = machine
        self.frequencyRange = frequencyRange
        self.feeds = feeds
        self.settings = settings
    }
}
