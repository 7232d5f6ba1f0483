package import FlightMath
import GatewayReports
package import ReceiverProtocol

/// The followed sonde at one instant, as every feed shows it; SI units. Only what was checked, under the canonical serial.
package struct FeedSonde: Equatable, Sendable {
    package var serial: SondeSerial
    /// Nil when nobody names it.
    package var sondeType: SondeType?
    package var source: TelemetrySource
    package var coordinate: Coordinate
    /// Above mean sea level.
    package var altitudeMetres: Double
    /// m/s; vertical positive up. Where the sonde tells none, from its track.
    package var horizontalSpeed, verticalSpeed: Double?
    /// Degrees clockwise from true north; nil while it stands still.
    package var courseDegrees: Double?
    package var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// Of the measurement.
    package var time: WallTime
    package var age: Duration
    /// Where it sends.
    package var frequencyMHz: Double?
    /// Of the receiver, while it hears the sonde.
    package var rssiDBm: Double?
    package var afcHz: Int?
    package var phase: FlightPhase
    package var burstAt: WallTime?
    /// It has come down from a height, burst or not.
    package var hasDescended = false
    package var highestMetres: Double?
    /// Its track begins there.
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
