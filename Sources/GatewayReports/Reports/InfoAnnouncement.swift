public import FlightMath

/// ``InfoReport``, with the time of the gateway's start and the receiver.
public struct InfoAnnouncement: Equatable, Sendable {
    public var info: InfoReport
    public var startedAt: Moment
    public var receiver: StateReport.Receiver

    public init(info: InfoReport, startedAt: Moment, receiver: StateReport.Receiver) {
        self.info = info
        self.startedAt = startedAt
        self.receiver = receiver
    }

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
        json.field("language", info.language.rawValue)
        json.field("units", info.units.rawValue)
        json.field("feeds", .array(info.feeds.map { .string($0) }))
        json.field("configuration") { inner in
            for setting in info.settings { inner.field(setting.key, setting.value) }
        }
        return json.object
    }
}
