public import FlightMath
public import ReceiverProtocol

/// Channel 2: the receiver's signal and its own state. While the receiver is away, SondeHub's data about the
/// transmitter.
public struct RadioReport: Equatable, Sendable {
    public var serial: SondeSerial?
    public var name: String?
    public var sondeType: SondeType?
    public var source: TelemetrySource
    /// The receiver's frame; nil while the receiver is away.
    public var frame: RadioFrame?
    /// The sonde's frequency by SondeHub, MHz.
    public var sondeFrequencyMHz: Double?
    /// The mean of the last AFC values of this sonde, Hz.
    public var afcMeanHz: Double?
    /// When the receiver last heard a sonde; nil if it never did.
    public var heardAt: Moment?
    public var time: WallTime
    public var receivedAt: Moment

    public init(
        serial: SondeSerial? = nil, name: String? = nil, sondeType: SondeType? = nil, source: TelemetrySource,
        frame: RadioFrame? = nil, sondeFrequencyMHz: Double? = nil, afcMeanHz: Double? = nil, heardAt: Moment? = nil,
        time: WallTime, receivedAt: Moment
    ) {
        self.serial = serial
        self.name = name
        self.sondeType = sondeType
        self.source = source
        self.frame = frame
        self.sondeFrequencyMHz = sondeFrequencyMHz
        self.afcMeanHz = afcMeanHz
        self.heardAt = heardAt
        self.time = time
        self.receivedAt = receivedAt
    }
}

extension RadioReport {
    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("name", name)
        json.field("sonde_type", sondeType?.name)
        json.field("source", source.rawValue)
        json.field("frequency_mhz", frame?.frequencyMHz, decimals: 3)
        json.field("sonde_frequency_mhz", sondeFrequencyMHz, decimals: 3)
        json.field("rssi_dbm", frame?.rssiDBm, decimals: 1)
        json.field("battery_pct", frame?.batteryPercent)
        json.field("battery_v", frame?.batteryMillivolts.map { Double($0) / 1000 }, decimals: 3)
        json.field("afc_hz", frame?.afcHz)
        json.field("afc_mean_hz", afcMeanHz, decimals: 1)
        json.field("mute", frame?.isMuted)
        json.field("burst_killer_enabled", frame?.burstKiller?.isActive)
        json.field("burst_killer_s", frame?.burstKiller?.secondsLeft)
        json.field("firmware", frame?.firmware)
        json.field("time", time)
        json.field("received_at", receivedAt.wall)
        json.field("receiver_heard_at", heardAt?.wall)
        json.field("frame_type", frame.map { Int($0.kind.rawValue) })
        return json.object
    }
}
