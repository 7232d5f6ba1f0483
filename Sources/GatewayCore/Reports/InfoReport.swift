public import FlightMath

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

/// ``InfoReport``, since when, and with which receiver.
public struct InfoAnnouncement: Equatable, Sendable {
    public var info: InfoReport
    public var startedAt: Moment
    var receiver: StateReport.Receiver

    var payload: [UInt8] {
        var json = JSONText()
        json.field("version", info.version)
        json.field("id", info.id)
        json.field("machine", info.machine)
        json.field("started_at", startedAt.wall)
        json.field("schema_version", InfoReport.schemaVersion)
        json.field("receiver") { inner in
            inner.field("name", receiver.name)
            inner.field("address", receiver.address)
            inner.field("firmware", receiver.firmware)
        }
        json.field("frequency_min_mhz", info.frequencyRange.lowerBound, decimals: 3)
        json.field("frequency_max_mhz", info.frequencyRange.upperBound, decimals: 3)
        json.field("feeds", .array(info.feeds.map { .string($0) }))
        json.field("configuration") { inner in
            for setting in info.settings { inner.field(setting.key, setting.value) }
        }
        return json.object
    }
}
