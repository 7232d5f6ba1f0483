/// What the shown data is worth and where it comes from, as `<p>/state` tells.
public enum TelemetryState: String, CaseIterable, Sendable {
    /// Until the receiver and SondeHub have answered, 15 s at most.
    case startup
    /// The receiver hears a sonde in flight.
    case liveBLEFlying
    /// The receiver hears a sonde that lies on the ground.
    case liveBLELanded
    /// The receiver's telemetry stopped a moment ago; SondeHub is asked. 15 s at most.
    case waitingForAPRS
    /// Only SondeHub knows the sonde, in flight.
    case aprsFlying
    /// Only SondeHub knows the sonde, and it is down.
    case aprsLanded
    /// Nobody hears anything.
    case noTelemetry

    /// Why the state is what it is: a closed set, published.
    public enum Reason: String, CaseIterable, Sendable {
        case started
        case receiverTelemetry = "receiver_telemetry"
        case receiverTelemetryLost = "receiver_telemetry_lost"
        case sondeHubTelemetry = "sondehub_telemetry"
        case sondeHubTimedOut = "sondehub_timed_out"
        /// Another sonde is followed, of which SondeHub has told nothing yet.
        case sondeChanged = "sonde_changed"
        case landed
        case airborne
        /// Receiver and SondeHub have answered, and neither has a sonde.
        case nothingHeard = "nothing_heard"
        case timedOut = "timed_out"
        case stopping
    }
}
