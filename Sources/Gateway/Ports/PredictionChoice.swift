/// A parameter of predictions that a command may set in place of the configuration's. Its name is that of the option.
public enum PredictionChoice: String, CaseIterable, Sendable {
    /// Metres above sea level.
    case burstAltitude = "burst_altitude_m"
    /// m/s, until the ascent has been measured.
    case ascentRate = "ascent_rate_mps"
    /// m/s at sea level, until the descent has been measured.
    case descentRate = "descent_rate_mps"

    /// The values that a command may set; the configuration has the same range.
    var range: ClosedRange<Double> {
        switch self {
        case .burstAltitude: 1000...60_000
        case .ascentRate: 0.5...20
        case .descentRate: 0.5...50
        }
    }

    var unit: String {
        switch self {
        case .burstAltitude: "metres"
        case .ascentRate, .descentRate: "m/s"
        }
    }

    /// The setting under which the store keeps the choice.
    var setting: StoredSetting {
        switch self {
        case .burstAltitude: .burstAltitude
        case .ascentRate: .ascentRate
        case .descentRate: .descentRate
        }
    }
}
