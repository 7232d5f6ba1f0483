/// Where telemetry comes from.
public enum TelemetrySource: String, CaseIterable, Sendable {
    case ble
    case sondehub
}
