/// What the gateway is and how it is set up, without secrets.
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

    /// Counts the incompatible changes of the payloads.
    static let schemaVersion = 1

    public var version: String
    public var id: String
    /// A hash of the machine's id: tells two boxes apart that were given one id by mistake.
    public var machine: String
    /// What commands may tune to, MHz.
    public var frequencyRange: ClosedRange<Double>
    /// The feeds to other programs that are on, as the configuration calls them.
    public var feeds: [String]
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
