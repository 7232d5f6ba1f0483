/// The phase of a flight.
public enum FlightPhase: String, CaseIterable, Sendable {
    /// Not known yet, or the sonde lies on the launch pad.
    case unknown
    case ascending
    /// At 10 000 m or higher.
    case descendingAbove10k
    case descendingBelow10k
    case landed

    /// The sonde is known to be in the air.
    public var isFlying: Bool {
        switch self {
        case .ascending, .descendingAbove10k, .descendingBelow10k: true
        case .unknown, .landed: false
        }
    }

    /// The phase of a sonde that falls.
    public static func descending(atMetres metres: Double) -> FlightPhase {
        metres >= 10_000 ? .descendingAbove10k : .descendingBelow10k
    }
}

/// The reason for the phase, for people and programs.
public enum PhaseReason: String, CaseIterable, Sendable {
    case verticalSpeed = "vertical_speed"
    /// The track's newest points show rest after a flight.
    case vectorTest = "vector_test"
    /// The sonde was first heard at rest, and not where sondes start.
    case heardOnGround = "heard_on_ground"
    /// A guess: the sonde has been silent for two minutes, and must be down by now.
    case sondeHubSilent = "sondehub_silent"
    /// No source has heard the flying sonde for 20 s, and it need not be down yet.
    case silentInFlight = "silent_in_flight"
    /// At rest without a flight before: on the launch pad.
    case onGround = "on_ground"
    /// Neither source has sent telemetry for a while.
    case noTelemetry = "no_telemetry"
}

/// A phase and its reason.
public struct PhaseVerdict: Equatable, Sendable {
    public var phase: FlightPhase
    public var reason: PhaseReason?

    public init(_ phase: FlightPhase, _ reason: PhaseReason?) {
        self.phase = phase
        self.reason = reason
    }
}
