import ReceiverProtocol

/// Where a report comes from.
enum TelemetrySource: String, Sendable {
    case ble
    case sondehub
}

/// One message of channel 1, position.
struct PositionReport: Equatable, Sendable {
    var serial: SondeSerial?
    var name: String?
    var sondeType: SondeType
    var source = TelemetrySource.ble
    var position: Position
    /// When the burst killer ends the transmission.
    var burstKillerAt: WallTime?
    /// Strictly increasing per sonde.
    var time: WallTime
    var receivedAt: Moment
    var frameKind: FrameKind
}

/// One message of channel 2, radio.
struct RadioReport: Equatable, Sendable {
    var serial: SondeSerial?
    var source = TelemetrySource.ble
    var frame: RadioFrame
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
