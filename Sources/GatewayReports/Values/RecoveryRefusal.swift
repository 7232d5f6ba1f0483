/// Why SondeHub does not have a report of recovery, and will not get it.
public enum RecoveryRefusal: String, CaseIterable, Sendable {
    case unknownSonde = "unknown_sonde"
    /// It could not be sent for 14 days.
    case expired
    case refused
}
