/// Why a report of recovery never got onto SondeHub.
public enum RecoveryRefusal: String, CaseIterable, Sendable {
    case unknownSonde = "unknown_sonde"
    /// It could not be sent for 14 days.
    case expired
    case refused
}
