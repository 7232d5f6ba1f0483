public import FlightMath

/// When a station received a frame, by the station's own clock.
public struct StationStamp: Equatable, Sendable {
    /// The station's callsign.
    public var station: String
    public var time: WallTime
    /// The sonde's own number of the frame; nil if unknown.
    public var frame: Int?

    public init(station: String, time: WallTime, frame: Int? = nil) {
        (self.station, self.time, self.frame) = (station, time, frame)
    }
}

/// A point of a track with the values that show whether its time and place are right.
struct StampedPoint: Equatable, Sendable {
    var point: TrackPoint
    var stamp: StationStamp?
    /// The speeds that the sonde reports, m/s.
    var horizontalSpeed, verticalSpeed: Double?

    init(_ record: SondeHubRecord) {
        point = TrackPoint(record)
        stamp = record.stamp
        (horizontalSpeed, verticalSpeed) = (record.horizontalSpeed, record.verticalSpeed)
    }

    /// The time as it was reported.
    var stampedAt: WallTime { stamp?.time ?? point.time }
}
