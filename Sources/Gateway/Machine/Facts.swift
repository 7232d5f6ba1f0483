import FlightMath
import GatewayReports
import ReceiverProtocol

/// The facts that the machine's parts share. The value is computed at each access. A part reads another part's state
/// only from here.
struct Facts: Equatable, Sendable {
    // MARK: The receiver
    var link = LinkState.notConnected
    /// The number of the link since the start. It changes with each session.
    var linkSession = 0
    /// The most bytes of one write on the link.
    var maximumWriteLength = 0
    /// A frame has arrived, or the connection has failed.
    var hasReceiverAnswered = false
    /// When the receiver last heard a sonde.
    var heardAt: Moment?
    /// The receiver's frequency and type by its last frame; nil while it accepts no commands.
    var listening: Listening?

    // MARK: The sonde
    var serial: SondeSerial?
    /// The serial that SondeHub uses for the followed sonde.
    var sondeHubSerial: SondeSerial?
    /// The number of the sonde's flight since the gateway follows it.
    var flightNumber = 0
    var newestPoint: TrackPoint?
    var phase = PhaseVerdict(.unknown, nil)
    /// SondeHub's latest answer held the followed sonde.
    var isSondeHubAvailable = false
    /// When SondeHub last had the followed sonde, and how often it is polled.
    var lastSondeHubAnswer: Moment?
    /// The sonde's frequency and type by SondeHub.
    var sondeTuning: SondeTuning?

    /// The landing point.
    var landing: LandingPoint?

    // MARK: The car
    var car: CarPosition?
    /// The car's way to the landing point.
    var trip: Trip?

    // MARK: Sources
    var state = TelemetryState.startup
    /// SondeHub has answered, even with an error, or is never asked.
    var hasSondeHubAnswered = false
    var sondeHubInterval = Duration.zero
    /// The tuning that the frequency sync wants, with its number.
    var tuningOrder: TuningOrder?
    /// The store has opened, or the wait for it is over.
    var hasStarted = false
    var isStopping = false

    var hasTelemetry: Bool { link == .dataReady }
    var canReceiveCommands: Bool { link != .notConnected }
}

/// Frequency and type by SondeHub; nil if unknown.
struct SondeTuning: Equatable, Sendable {
    var frequencyMHz: Double?
    var sondeType: SondeType?
}

/// A tuning that must be sent once.
struct TuningOrder: Equatable, Sendable {
    var number: Int
    var tuning: Tuning
}
