public import FlightMath
public import ReceiverProtocol

/// An outline of the followed sonde's track, for clients that connect late and have no recorded flight.
public struct TrackReport: Equatable, Sendable {
    /// The most points, which make at most 16 kB.
    public static let limit = 300
    /// The least time between two outlines of one flight.
    public static let spacing = Duration.seconds(60)

    public var serial: SondeSerial
    /// At most ``limit``, sorted by time.
    public var points: [TrackPoint]

    /// - Parameter track: every point of the flight.
    public init(serial: SondeSerial, track: [TrackPoint]) {
        self.serial = serial
        points = TrackOutline(of: track, limit: Self.limit).points
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial.canonical)
        json.array("points", points[...]) { inner, point in
            inner.values(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time)
        }
        return json.object
    }
}
