/// How current the telemetry is and where it comes from, published on `<p>/state`.
public enum TelemetryState: String, CaseIterable, Sendable {
    /// Until the receiver and SondeHub have answered, 15 s at most.
    case startup
    /// The receiver hears a sonde in flight.
    case liveBLEFlying
    /// The receiver hears a sonde that lies on the ground.
    case liveBLELanded
    /// The receiver's telemetry stopped a moment ago; SondeHub is asked. 15 s at most.
    case waitingForAPRS
    /// Only SondeHub hears the sonde, in flight.
    case aprsFlying
    /// Only SondeHub hears the sonde, after its landing.
    case aprsLanded
    /// Neither source hears a sonde.
    case noTelemetry

    /// The published reason for the state.
    public enum Reason: String, CaseIterable, Sendable {
        case started
        case receiverTelemetry = "receiver_telemetry"
        case receiverTelemetryLost = "receiver_telemetry_lost"
        case sondeHubTelemetry = "sondehub_telemetry"
        case sondeHubTimedOut = "sondehub_timed_out"
        /// The gateway follows another sonde, and SondeHub has no data of it yet.
        case sondeChanged = "sonde_changed"
        case landed
        /// Nobody hears the sonde, and its predicted landing is past.
        case sondeHubSilent = "sondehub_silent"
        case airborne
        /// The receiver and SondeHub have answered, and neither hears a sonde.
        case nothingHeard = "nothing_heard"
        case timedOut = "timed_out"
        /// The receiver hears the sonde, and no source has its place.
        case noPosition = "no_position"
        case stopping
    }
}
