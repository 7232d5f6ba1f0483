/// What the balloon does.
public enum FlightPhase: String, CaseIterable, Sendable {
    /// Nothing tells yet, or the sonde lies on the launch pad.
    case unknown
    case ascending
    /// At 10 000 m or higher.
    case descendingAbove10k
    case descendingBelow10k
    case landed
}

/// Why the phase is what it is, for people and programs.
public enum PhaseReason: String, CaseIterable, Sendable {
    case verticalSpeed = "vertical_speed"
    /// At rest by the track's newest points, after a flight.
    case vectorTest = "vector_test"
    /// Nobody has heard it for a while, and it was near the ground or must be down by now: a guess.
    case sondeHubSilent = "sondehub_silent"
    /// Nobody has heard it for a while, but it was too high to be down.
    case silentInFlight = "silent_in_flight"
    /// At rest, but it has not flown: on the launch pad.
    case onGround = "on_ground"
    /// Nobody has told anything for a while.
    case noTelemetry = "no_telemetry"
}

/// A phase and why.
public struct PhaseVerdict: Equatable, Sendable {
    public var phase: FlightPhase
    public var reason: PhaseReason?

    public init(_ phase: FlightPhase, _ reason: PhaseReason?) {
        self.phase = phase
        self.reason = reason
    }
}
