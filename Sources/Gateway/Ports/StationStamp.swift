public import FlightMath

/// When a station received a frame, by the station's own clock.
public struct StationStamp: Equatable, Sendable {
    /// The station's callsign.
    public var station: String
    public var time: WallTime
    /// How far the station's clock is ahead of SondeHub's, as SondeHub has measured it at the upload. The upload's delay
    /// makes it too small. Nil if SondeHub has not measured it.
    public var ahead: Duration?

    public init(station: String, time: WallTime, ahead: Duration? = nil) {
        (self.station, self.time, self.ahead) = (station, time, ahead)
    }

    /// An upload may take this long. Only a larger difference shows that the station's clock is wrong.
    private static let slowestUpload = Duration.seconds(30)

    /// How far the station's clock is ahead if it is surely wrong; otherwise zero.
    public var error: Duration {
        guard let ahead, ahead > Self.slowestUpload || ahead < .zero - Self.slowestUpload else { return .zero }
        return ahead
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
