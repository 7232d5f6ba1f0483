package import FlightMath
import GatewayReports
package import ReceiverProtocol

/// The followed sonde at one instant, as the feeds show it. SI units; all values are checked, and the serial is
/// canonical.
package struct FeedSonde: Equatable, Sendable {
    package var serial: SondeSerial
    /// Nil if neither the receiver nor SondeHub reports it.
    package var sondeType: SondeType?
    package var source: TelemetrySource
    package var coordinate: Coordinate
    /// Metres above mean sea level.
    package var altitudeMetres: Double
    /// m/s; the vertical speed is positive up. Computed from the track if the sonde does not report them.
    package var horizontalSpeed, verticalSpeed: Double?
    /// Degrees clockwise from true north; nil while the sonde stands still.
    package var courseDegrees: Double?
    package var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// The time of the measurement.
    package var time: WallTime
    package var age: Duration
    /// The frequency the sonde transmits on, MHz.
    package var frequencyMHz: Double?
    /// The signal at the receiver; nil unless the position came from the receiver.
    package var rssiDBm: Double?
    package var afcHz: Int?
    package var phase: FlightPhase
    package var burstAt: WallTime?
    /// Whether the sonde has come down from a height, with or without an observed burst.
    package var hasDescended = false
    package var highestMetres: Double?
    /// The time of its track's first point.
    package var firstAt: WallTime?

    package var isFresh: Bool { age <= PositionReport.freshLimit }

    package init(
        serial: SondeSerial, sondeType: SondeType?, source: TelemetrySource, coordinate: Coordinate,
        altitudeMetres: Double, time: WallTime, age: Duration, phase: FlightPhase
    ) {
        self.serial = serial
        self.sondeType = sondeType
        self.source = source
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.time = time
        self.age = age
        self.phase = phase
    }
}
