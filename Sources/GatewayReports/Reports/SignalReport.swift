public import FlightMath
public import ReceiverProtocol

/// How strong the receiver hears a sonde, with or without a place: for the last metres of a chase, and for sondes that say
/// no place.
public struct SignalReport: Equatable, Sendable {
    /// How the signal changes while the car drives.
    public enum Trend: String, CaseIterable, Sendable {
        case rising, falling, steady
    }

    /// The sonde that the frames name; nil if none of the last minutes does.
    public var serial: SondeSerial?
    /// dBm, of this frame.
    public var rssiDBm: Double
    /// dBm, of the last 5 s.
    public var meanDBm: Double
    /// dBm, the strongest frame of the last 3 min.
    public var peakDBm: Double
    /// Over the last 30 s of driving; nil without a car, or before it has driven so far.
    public var trend: Trend?
    public var heardAt: Moment
    /// Where the bearings cross; nil without enough of them.
    public var estimate: BearingEstimate?

    public init(
        serial: SondeSerial?, rssiDBm: Double, meanDBm: Double, peakDBm: Double, trend: Trend?, heardAt: Moment,
        estimate: BearingEstimate?
    ) {
        self.serial = serial
        self.rssiDBm = rssiDBm
        self.meanDBm = meanDBm
        self.peakDBm = peakDBm
        self.trend = trend
        self.heardAt = heardAt
        self.estimate = estimate
    }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("rssi_dbm", rssiDBm, decimals: 1)
        json.field("mean_dbm", meanDBm, decimals: 1)
        json.field("peak_dbm", peakDBm, decimals: 1)
        json.field("trend", trend?.rawValue)
        json.field("heard_at", heardAt.wall)
        json.field("age_ms", Int(now.duration(since: heardAt.monotonic).wholeMilliseconds))
        json.field("estimate", estimate) { $1.fields(&$0) }
        return json.object
    }
}

extension BearingEstimate {
    func fields(_ json: inout JSONText) {
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        json.field("error_radius_50_m", radius50Metres, decimals: 1)
        json.field("error_radius_90_m", radius90Metres, decimals: 1)
        json.field("bearings", count)
    }
}
