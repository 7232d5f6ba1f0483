import ReceiverProtocol

/// Where a report comes from.
public enum TelemetrySource: String, CaseIterable, Sendable {
    case ble
    case sondehub
}

/// One message of channel 1, position.
struct PositionReport: Equatable, Sendable {
    var serial: SondeSerial?
    var name: String?
    var sondeType: SondeType
    var source = TelemetrySource.ble
    var coordinate: Coordinate
    /// Metres above mean sea level.
    var altitudeMetres: Double
    /// m/s; vertical positive up.
    var horizontalSpeed, verticalSpeed: Double?
    /// Degrees, of SondeHub only.
    var headingDegrees: Double?
    var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// When the burst killer ends the transmission.
    var burstKillerAt: WallTime?
    /// Strictly increasing per sonde.
    var time: WallTime
    var receivedAt: Moment
    /// Of the receiver's frame; nil from SondeHub.
    var frameKind: FrameKind?
    /// How old the measurement was when it was received, milliseconds.
    var ageWhenReceived = 0
}

/// One message of channel 2, radio.
struct RadioReport: Equatable, Sendable {
    var serial: SondeSerial?
    var source = TelemetrySource.ble
    var frame: RadioFrame
    /// When the receiver heard `frame`; nil when it never heard any.
    var heardAt: Moment?
    /// Mean of the last AFC values of this sonde, Hz.
    var afcMeanHz: Double?
    var time: WallTime
    var receivedAt: Moment
}

/// One message of channel 3, settings.
struct SettingsReport: Equatable, Sendable {
    var configuration: ReceiverConfiguration
    var receivedAt: Moment
}
